"""MkDocs asks this module for the pages that the code writes."""

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent.parent))  # MkDocs loads hooks by file, not as a package

from docs_site.generated import generated_pages


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages to those in docs/."""
    for path, content in generated_pages().items():
        files.append(File.generated(config, path, content=content))
    return files
