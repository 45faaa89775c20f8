"""All generated pages, and their paths without making them."""

from docs_site.command_pages import command_pages
from docs_site.learning_curves import curve_pictures
from docs_site.world_pages import NOTES, world_pages

PATHS = (*(f"worlds/{name}.md" for name in NOTES), "reference/commands.md")


def generated_pages() -> dict[str, str]:
    """Markdown and pictures by path."""
    return world_pages() | command_pages() | curve_pictures()
