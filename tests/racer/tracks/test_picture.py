"""Pictures of tracks: drawn without a display, true to scale, and small."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from hotlap.racer.tracks import build_track, load_track
from hotlap.racer.tracks.picture import draw_track, save_track_picture

ASPHALT_RGB = (0x3B, 0x41, 0x4B)


@pytest.mark.parametrize("name", ["track-01", "track-03", "generated:2:hard"])
def test_picture_is_a_small_png_with_asphalt_in_it(name, tmp_path):
    path = tmp_path / "track.png"
    save_track_picture(load_track(name), path)
    picture = np.asarray(Image.open(path).convert("RGB")).astype(int)
    assert max(picture.shape) >= 1_000
    assert path.stat().st_size < 150_000
    asphalt = (np.abs(picture - ASPHALT_RGB).max(axis=2) <= 3).mean()
    assert 0.05 < asphalt < 0.6


def test_drawing_into_foreign_axes_leaves_global_state_alone():
    before = dict(mpl.rcParams)
    figure = Figure()
    axes = figure.add_subplot()
    draw_track(load_track("track-02"), axes)
    assert axes.get_aspect() == 1.0
    assert dict(mpl.rcParams) == before
    assert "matplotlib.pyplot" not in vars(mpl) or not mpl.pyplot.get_fignums()


def test_same_track_draws_the_same_bytes(tmp_path):
    for name in ("a.png", "b.png"):
        save_track_picture(load_track("track-01"), tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("name", ["$x^2", "鈴鹿", "a $b$ {c} \\d"])
def test_any_name_can_be_drawn(name, tmp_path):
    points = load_track("track-01").control_points
    save_track_picture(build_track(points, track_id="odd", name=name), tmp_path / "odd.png")
    assert (tmp_path / "odd.png").exists()
