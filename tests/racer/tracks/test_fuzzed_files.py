"""Whatever is done to a track file, it is either a drivable track or a TrackError, and soon."""

import json
import math
import time
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotlap.errors import TrackError
from hotlap.racer.tracks import load_track, track_ids
from racer.tracks.surveys import HEADER, ring_rows

SHIPPED = [(files("hotlap.racer.tracks") / "data" / f"{name}.json").read_text(encoding="utf-8") for name in track_ids()]
SURVEY = "\n".join([HEADER, *(",".join(f"{value:.3f}" for value in row) for row in ring_rows(count=40))])
NUMBERS = st.one_of(
    st.floats(),
    st.floats(-400.0, 400.0),
    st.integers(-400, 400),
    st.integers(),
    st.sampled_from([0, -0.0, 1e-300, 1e300, 10**400, math.inf, math.nan]),
)
VALUES = st.one_of(NUMBERS, st.none(), st.booleans(), st.text(max_size=5), st.lists(NUMBERS, max_size=4))
EDITS = st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(0, 2), VALUES), min_size=1, max_size=6)
SNIPS = st.lists(
    st.tuples(
        st.floats(0.0, 1.0), st.integers(0, 40), st.one_of(st.text(max_size=6), st.sampled_from('[]{},:"-.e;#\n'))
    ),
    min_size=1,
    max_size=4,
)
FUZZ = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def read_or_refuse(in_time):
    """Load a file: what is accepted must be finite and closed, what is not must be a TrackError that names the file."""

    def load(path, content: bytes) -> None:
        path.write_bytes(content)
        begin_s = time.process_time()
        track, message = None, ""
        try:
            track = load_track(path)
        except TrackError as refusal:
            message = str(refusal)
        in_time(time.process_time() - begin_s, 1.0)
        if track is None:
            assert message.startswith(str(path))
        else:
            assert np.isfinite(track.inner_wall).all()
            assert np.isfinite(track.outer_wall).all()
            assert track.length_u > 0.0

    return load


def snipped(text: str, snips) -> bytes:
    """The text with pieces cut out and others put in."""
    for where, length, inserted in snips:
        position = int(where * len(text))
        text = text[:position] + inserted + text[position + length :]
    return text.encode("utf-8", "surrogatepass")


@FUZZ
@given(st.sampled_from(SHIPPED), EDITS)
def test_track_with_changed_numbers_is_drivable_or_refused(read_or_refuse, tmp_path, text, edits):
    data = json.loads(text)
    for where, column, value in edits:
        data["points"][int(where * (len(data["points"]) - 1))][column] = value
    read_or_refuse(tmp_path / "fuzzed.json", json.dumps(data).encode())


@FUZZ
@given(st.sampled_from(SHIPPED), st.randoms(use_true_random=False), st.integers(0, 45))
def test_track_with_shuffled_points_is_drivable_or_refused(read_or_refuse, tmp_path, text, random, count):
    data = json.loads(text)
    data["points"] = random.sample(data["points"], min(count, len(data["points"])))
    read_or_refuse(tmp_path / "fuzzed.json", json.dumps(data).encode())


@FUZZ
@given(st.sampled_from(SHIPPED), st.floats(-40.0, 40.0), st.floats(0.001, 1000.0), st.floats(0.01, 20.0))
def test_stretched_track_is_drivable_or_refused(read_or_refuse, tmp_path, text, skew, stretch, width):
    data = json.loads(text)
    data["points"] = [[x * stretch + skew * y, y, w * width] for x, y, w in data["points"]]
    read_or_refuse(tmp_path / "fuzzed.json", json.dumps(data).encode())


@FUZZ
@given(st.sampled_from(SHIPPED), SNIPS)
def test_snipped_track_file_is_drivable_or_refused(read_or_refuse, tmp_path, text, snips):
    read_or_refuse(tmp_path / "fuzzed.json", snipped(text, snips))


@FUZZ
@given(SNIPS)
def test_snipped_survey_is_drivable_or_refused(read_or_refuse, tmp_path, snips):
    read_or_refuse(tmp_path / "fuzzed.csv", snipped(SURVEY, snips))


@FUZZ
@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=5), max_size=12))
def test_survey_of_any_numbers_is_drivable_or_refused(read_or_refuse, tmp_path, rows):
    text = "\n".join(",".join(str(value) for value in row) for row in rows)
    read_or_refuse(tmp_path / "fuzzed.csv", text.encode())


@FUZZ
@given(st.binary(max_size=200), st.sampled_from(["json", "csv"]))
def test_any_bytes_are_refused(read_or_refuse, tmp_path, content, suffix):
    read_or_refuse(tmp_path / f"fuzzed.{suffix}", content)
