"""The reader of orders as data, for pages without a server: its Python sources, which such a page runs itself."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from hotlap.export.content import Files, json_content

FORMAT = 1
MODULES = (
    "errors.py",
    "units.py",
    *(f"highway/{name}.py" for name in ("__init__", "missions", "physics", "road_config")),
)
"""What the reader needs beside its own folder: nothing but Python's own library."""
READER = "highway/orders"


def order_reader_files() -> Files:
    """One document with every source by its place; `hotlap` has no `__init__.py` there, since that wants Gymnasium."""
    package = files("hotlap")
    reader = [f"{READER}/{source.name}" for source in package.joinpath(READER).iterdir() if _is_source(source)]
    names = sorted((*MODULES, *reader))
    sources = {f"hotlap/{name}": package.joinpath(name).read_text(encoding="utf-8") for name in names}
    return {"data/orders.json": json_content({"format": FORMAT, "sources": sources})}


def _is_source(file: Traversable) -> bool:
    return file.name.endswith((".py", ".toml"))
