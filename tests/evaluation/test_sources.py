"""Finding the driver that is meant, and saying what was wrong when there is none."""

import pytest

from hotlap.errors import PolicyError
from hotlap.evaluation import find_driver
from hotlap.policies import CasualHuman, ReferenceDriver
from hotlap.policies.highway_expert import HighwayExpert
from hotlap.racer.tracks import load_track, track_ids
from policies.tiny_models import good_metadata, linear_model


@pytest.fixture
def runs(tmp_path):
    """A folder with a run that has a policy, and one that has none yet."""
    for name in ("fast-one", "young-one"):
        (tmp_path / name).mkdir()
    (tmp_path / "fast-one" / "policy.onnx").write_bytes(linear_model().SerializeToString())
    return tmp_path


def test_scripted_drivers_have_names(runs):
    track = load_track("track-01")
    assert isinstance(find_driver("reference", runs).make(track), ReferenceDriver)
    assert isinstance(find_driver("human", runs).make(track), CasualHuman)
    assert (find_driver("human", runs).world, find_driver("human", runs).tracks) == ("racer", track_ids())
    assert isinstance(find_driver("expert", runs).make([1, 2]), HighwayExpert)
    assert find_driver("expert", runs).world == "highway"


@pytest.mark.parametrize("how", ["name", "folder", "file"])
def test_policy_is_found_by_run_folder_or_file(runs, how):
    words = {"name": "fast-one", "folder": str(runs / "fast-one"), "file": str(runs / "fast-one" / "policy.onnx")}
    source = find_driver(words[how], runs)
    assert source.name == "fast-one"
    assert source.about["algorithm"] == "ppo"
    assert source.tracks == ("track-01",)


def test_policy_trained_elsewhere_is_evaluated_on_the_built_in_tracks(tmp_path):
    path = tmp_path / "generalist.onnx"
    path.write_bytes(linear_model(good_metadata(tracks=["generated:1:hard"])).SerializeToString())
    source = find_driver(str(path))
    assert (source.name, source.tracks, source.run) == ("generalist", track_ids(), None)


def test_unknown_driver_is_refused_with_the_nearest(runs):
    with pytest.raises(PolicyError, match=r'no run or policy "fast-on"\. Did you mean "fast-one"\?'):
        find_driver("fast-on", runs)
    with pytest.raises(PolicyError, match=r'Did you mean "reference"\?'):
        find_driver("referense", runs)


def test_run_without_a_policy_is_told_from_no_run(runs):
    with pytest.raises(PolicyError, match=r"young-one: has no policy\.onnx"):
        find_driver("young-one", runs)


def test_missing_runs_folder_is_no_crash(tmp_path):
    with pytest.raises(PolicyError, match="no run or policy"):
        find_driver("anything", tmp_path / "nowhere")
