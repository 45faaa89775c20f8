"""Refuses to make a wheel without the pages: an installed Hotlap is the whole product, and needs no Node."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGES = ("index.html", "highway.html")


class PagesAreThere(BuildHookInterface):  # type: ignore[type-arg]
    """Looks before anything is packed; an editable installation may be without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatch's own words
        """Raise where a page is missing."""
        static = Path(self.root) / "src" / "hotlap" / "web" / "static"
        missing = [name for name in PAGES if not (static / name).is_file()]
        if missing and version != "editable":
            raise RuntimeError(
                f"{static}: {' and '.join(missing)} not built, and a wheel without the pages would be half of Hotlap. "
                'Run "make frontend", or "npm install && npm run build" in frontend/, then build again; '
                'or install this folder with "pip install --editable .", which needs no pages to train.'
            )
