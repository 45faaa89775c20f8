"""Pages that the code writes say what the code does; the site needs nothing from elsewhere."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from docs_site import generated
from docs_site.command_pages import help_of
from docs_site.field_docs import field_docs, settings_rows, table
from docs_site.learning_curves import CURVES, Figure, curves_picture, known_points, seeds_of
from docs_site.world_pages import NOTES, world_pages

from hotlap import cli
from hotlap.checkpoints.curve import CurvePoint
from hotlap.cli import HOTLAP
from hotlap.highway.sensors import FIELDS
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.training.config import preset_names
from hotlap.worlds import WORLDS

REPOSITORY = Path(__file__).parent.parent
SITE = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pages():
    return world_pages()


def pages_of(nav) -> list[str]:
    """Every page of the navigation, in order."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in pages_of(part)]


def test_every_world_has_a_page_and_every_generated_page_its_path(pages):
    assert set(NOTES) == set(WORLDS)
    assert {*pages, "reference/commands.md"} == set(generated.PATHS)


def test_navigation_has_every_page_once():
    written = {path.relative_to(REPOSITORY / "docs").as_posix() for path in (REPOSITORY / "docs").rglob("*.md")}
    assert sorted(pages_of(SITE["nav"])) == sorted({*written, *generated.PATHS})


def test_link_to_a_part_of_a_generated_page_leads_to_a_heading(pages):
    """MkDocs looks for the headings of the other pages."""
    written = [path.read_text(encoding="utf-8") for path in sorted((REPOSITORY / "docs").rglob("*.md"))]
    links = {link for page in written for link in re.findall(r"\((?:\.\./)?(worlds/[a-z]+\.md)#([a-z-]+)\)", page)}
    assert len(links) >= len(NOTES)
    for path, part in links:
        headings = re.findall(r"^#+ (.+)$", pages[path], re.MULTILINE)
        assert part in [heading.lower().replace(" ", "-") for heading in headings], f"{path}#{part}"


def test_page_of_the_highway_has_a_row_for_every_observation(pages):
    page = pages["worlds/highway.md"]
    for number, name in enumerate(FIELDS):
        assert re.search(rf"^\| {number} \| `{name}` \| -?\d", page, re.MULTILINE)


def test_every_option_and_every_weight_says_what_it_is():
    for name, notes in NOTES.items():
        rows = [*settings_rows(WORLDS[name].part("options")()), *settings_rows(notes.config())]
        assert [row for row in rows if not row[2]] == []


def test_every_preset_is_on_the_page_of_its_world(pages):
    said = [line for page in pages.values() for line in page.splitlines() if line.startswith("$ hotlap train ")]
    assert sorted(line.split()[-1] for line in said) == preset_names()


@pytest.mark.parametrize("preset", CURVES)
def test_curves_of_five_seeds_are_on_the_page_of_their_world_with_drivers_that_load(preset, pages):
    notes = CURVES[preset]
    page = pages[f"worlds/{notes.world}.md"]
    seeds = seeds_of(preset)
    assert len(seeds) == 5
    assert f"images/curves-{preset}.svg" in page
    assert f"Made on {notes.machine}." in page
    for seed in seeds:
        assert f"(../curves/{preset}/{seed.name}/policy.onnx)" in page
        assert OnnxPolicy(seed / "policy.onnx", world=None).metadata["world"] == notes.world


def test_figure_of_several_names_is_their_mean_where_all_are_known():
    figure = Figure(("a", "b"), "%", 1)
    assert figure.of(CurvePoint(1.0, None, {"a": 1.0}, {"b": 4.0})) == 2.5
    assert figure.of(CurvePoint(1.0, None, {"a": 1.0, "b": None})) is None
    assert figure.of(CurvePoint(1.0, None)) is None


@pytest.mark.parametrize("preset", CURVES)
def test_command_that_made_curves_can_be_typed(preset, pages):
    page = pages[f"worlds/{CURVES[preset].world}.md"]
    words = re.search(rf"do hotlap train ({preset} .*); done", page)[1].replace("$seed", "3").split()
    assert cli.parsed(HOTLAP.verbs["train"], "hotlap train", words).config.seed == 3


@pytest.mark.parametrize("preset", CURVES)
def test_curves_lie_within_their_picture_at_the_end(preset):
    notes = CURVES[preset]
    for seed in seeds_of(preset):
        _, last = known_points(seed, notes.figure)[-1]
        assert notes.y_range[0] <= last <= notes.y_range[1]


def test_curve_picture_has_a_line_for_each_seed_and_their_median():
    drawn = curves_picture("racer-ppo", CURVES["racer-ppo"])
    assert drawn.count('class="seed"') == 5
    assert drawn.count('class="median"') == 1
    points = re.search(r'class="median" points="([^"]+)"', drawn)[1].split()
    assert all(np.diff([float(point.split(",")[0]) for point in points]) > 0)


def test_help_is_plain_text():
    said = help_of(HOTLAP.verbs["runs"], "hotlap runs")
    assert said.startswith("usage: hotlap runs")
    assert "\x1b" not in said


def test_line_under_a_field_is_found_in_every_class_above():
    @dataclasses.dataclass
    class Below:
        speed: float = 1.0
        """How
        fast."""

    @dataclasses.dataclass
    class Above(Below):
        gap: float = 2.0
        """How near."""

    assert field_docs(Above) == {"speed": "How fast.", "gap": "How near."}


def test_bar_in_a_cell_does_not_end_it():
    assert table(("a",), [("x | y",)]).splitlines()[-1] == "| x \\| y |"


def test_site_fetches_nothing_from_elsewhere():
    assert SITE["theme"]["font"] is False
    assert "extra_javascript" not in SITE
    added = [*SITE["extra_css"], *SITE["extra"]["polyfills"]]
    assert [name for name in added if not (REPOSITORY / "docs" / name).is_file()] == []
