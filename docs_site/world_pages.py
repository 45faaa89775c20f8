"""One page per environment: what it says about itself, its spaces, observations, options and rewards."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym

import hotlap  # noqa: F401 - registers the environments
from docs_site.field_docs import settings_rows, table
from docs_site.learning_curves import curve_section
from hotlap.highway.config import HighwayConfig
from hotlap.highway.sensors import FIELDS
from hotlap.race.config import RaceConfig
from hotlap.racer.config import RacerConfig
from hotlap.training.config import load_preset, preset_names
from hotlap.worlds import WORLDS, Registration

DOCS = Path(__file__).parent.parent / "docs"


class WorldNotes(NamedTuple):
    """What a page needs beside the registration of its world."""

    title: str
    config: Callable[[], Any]
    """Makes the defaults of rewards and limits."""
    guide: str
    """The page with the whole story."""
    picture: str
    """A moving picture in docs/images/."""


NOTES = {
    "racer": WorldNotes("Racer", RacerConfig, "racer.md", "racer.gif"),
    "race": WorldNotes("Race", RaceConfig, "races.md", "race.webp"),
    "highway": WorldNotes("Highway", HighwayConfig, "highway.md", "highway.gif"),
}
UNBROKEN = '{ style="white-space: nowrap" }'
"""After a piece of code: a narrow column does not break it."""
NAMES_OF_OBSERVATIONS = {"highway": FIELDS}


def world_pages() -> dict[str, str]:
    """The page of every registered world, by its path in the documentation."""
    return {f"worlds/{name}.md": world_page(world, NOTES[name]) for name, world in WORLDS.items() if name in NOTES}


def world_page(world: Registration, notes: WorldNotes) -> str:
    """The page of a world."""
    env_class = world.part("env")
    picture = f"![{notes.title}](../images/{notes.picture})\n" if notes.picture else ""
    ids = ", ".join(f"`{env_id}`" for env_id in world.env_ids)
    guide = f"More, with examples: [{_title(notes.guide)}](../{notes.guide})."
    parts = [
        f"# {notes.title}\n\n{ids}. {guide}\n",
        picture,
        _with_links(inspect.getdoc(env_class) or ""),
        "\n## Spaces\n",
        _spaces(world),
        *_observations(world),
        "\n## Options\n",
        "Keywords of `gym.make`, `gym.make_vec`, `hotlap.make_vec_env` and `hotlap.make_torch_env`.\n",
        table(("option", "default", "what it is"), _option_rows(world)),
        "\n## Rewards and limits\n",
        "Keys of `config`; a dot is a dictionary inside. What is left out keeps its default.\n",
        table(("key", "default", "what it is"), _code_rows(settings_rows(notes.config()))),
        "\n## Train\n",
        "```console\n" + "\n".join(f"$ hotlap train {preset}" for preset in presets_of(world.name)) + "\n```\n",
        *curve_section(world.name),
    ]
    return "\n".join(part for part in parts if part)


def _with_links(said: str) -> str:
    """The same with `docs/PAGE.md` as a link to that page, by its title."""
    return re.sub(r"docs/([a-z-]+\.md)", lambda found: f"[{_title(found[1])}](../{found[1]})", said)


def _title(page: str) -> str:
    """The first heading of a page in docs/."""
    return (DOCS / page).read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")


def presets_of(world: str) -> list[str]:
    """The presets that train in a world."""
    return [name for name in preset_names() if load_preset(name).world == world]


def _spaces(world: Registration) -> str:
    rows = []
    for env_id in world.env_ids:
        env = gym.make(env_id)
        rows.append((f"`{env_id}`", f"`{_space(env.observation_space)}`", f"`{_space(env.action_space)}`"))
        env.close()
    layouts = ", ".join(f"`{name}` ({size})" for name, size in world.part("observation").layouts.items())
    return table(("id", "observations", "actions"), rows) + f"\nLayouts and how many numbers they have: {layouts}.\n"


def _space(space: gym.Space[Any]) -> str:
    """A space in one line; the bounds of a long one are in its table."""
    if isinstance(space, gym.spaces.Box) and space.shape[0] > 3:
        return f"Box({space.low.min():g}, {space.high.max():g}, {space.shape}, {space.dtype})"
    return str(space)


def _observations(world: Registration) -> list[str]:
    """Every observation with its bounds, where the world gives them names."""
    names = NAMES_OF_OBSERVATIONS.get(world.name)
    if names is None:
        return []
    env = gym.make(next(iter(world.env_ids)))
    space: Any = env.observation_space
    bounds = zip(names, space.low, space.high, strict=True)
    rows = [(str(number), f"`{name}`", f"{low:g}", f"{high:g}") for number, (name, low, high) in enumerate(bounds)]
    return ["\n## Observations\n", table(("number", "name", "lowest", "highest"), rows)]


def _option_rows(world: Registration) -> list[tuple[str, ...]]:
    return _code_rows(settings_rows(world.part("options")()))


def _code_rows(rows: Any) -> list[tuple[str, ...]]:
    return [(f"`{name}`{UNBROKEN}", f"`{default}`", said) for name, default, said in rows]
