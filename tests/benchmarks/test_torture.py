"""`make torture`: every figure has its line, a broken limit shows, and a short attack finds nothing."""

from benchmarks.torture import files, runs
from benchmarks.torture.figures import LIMITS, Figure, table


def test_every_figure_stands_beside_its_limit():
    lines = table(
        [Figure(6, "9 flips found, 0 missed", held=True), Figure(8, "one bomb went off", held=False)]
    ).splitlines()
    assert len(lines) == 1 + len(LIMITS)
    assert {str(number) for number in range(1, 24)} <= {line.split()[0] for line in lines[1:]}
    assert [line.split()[-1] for line in lines if line.startswith(("6 ", "8 "))] == ["yes", "NO"]


def test_flipped_bits_are_found_for_a_moment():
    [figure] = runs.flips(0.2, seed=0)
    assert figure.held
    assert figure.found.endswith("0 missed")


def test_damaged_tracks_are_refused_or_driven_for_a_moment():
    [figure] = files.tracks(0.2, seed=0)
    assert "broken: none" in figure.found
