"""The trainings that follow from a spec."""

import re
from pathlib import Path

import pytest

from hotlap.errors import ConfigError
from hotlap.scaleout.sweep.spec import load_spec, trial_from_document, trials_of

SPEC = """
presets = ["racer-ppo"]
seeds = [0, 1]
tracks = ["track-01", ["track-02", "track-03"]]
[set]
steps = 1000
[set.ppo]
n_steps = 32
[search.ppo]
gamma = { grid = [0.9, 0.99] }
"""


def spec_from(tmp_path, text):
    path = tmp_path / "sweep.toml"
    path.write_text(text)
    return load_spec(path)


def test_a_sweep_is_every_preset_on_every_track_set_at_every_point_with_every_seed(tmp_path):
    trials = trials_of(spec_from(tmp_path, SPEC))
    assert len({trial.name for trial in trials}) == len(trials) == 8
    assert {trial.config.racer.tracks for trial in trials} == {("track-01",), ("track-02", "track-03")}
    assert [(trial.config.ppo.gamma, trial.config.seed) for trial in trials[:4]] == [
        (0.9, 0), (0.9, 1), (0.99, 0), (0.99, 1),
    ]  # fmt: skip
    assert all(trial.config.steps == 1000 and trial.config.ppo.n_steps == 32 for trial in trials)


def test_a_trial_comes_back_from_its_document(tmp_path):
    trial = trials_of(spec_from(tmp_path, SPEC))[5]
    assert trial_from_document(trial.document()) == trial


def test_runs_that_are_compared_are_evaluated_and_saved_where_they_are(tmp_path):
    config = trials_of(spec_from(tmp_path, "[halving]\nfirst_rung = 5000"))[0].config
    assert (config.evaluation.every_steps, config.checkpoint_every) == (5000, "5000")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("preset = ['racer-ppo']", "Did you mean"),
        ("seeds = []", "at least one"),
        ("samples = 0", "samples"),
        ("[halving]\nfactor = 1", "factor"),
        ("[halving]\nfirst_rung = 5\n[population]\nevery_steps = 5", "halving or population"),
        ("[population]\nevery_steps = 5", "search"),
        ("[population]\nevery_steps = 5\n[search]\ncars = { grid = [1, 2] }", "not in cars"),
        (
            "presets = ['highway-sac']\n[population]\nevery_steps = 5\n[search.sac]\nbuffer_size = { grid = [9, 99] }",
            "not in sac.buffer_size",
        ),
        (
            "tracks = ['a', 'b']\n[population]\nevery_steps = 5\n[search.ppo]\ngamma = { grid = [1] }",
            "one set of tracks",
        ),
    ],
)
def test_a_spec_that_cannot_work_is_refused(tmp_path, text, complaint):
    with pytest.raises(ConfigError, match=complaint):
        spec_from(tmp_path, text)


def test_a_setting_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"gama.*gamma"):
        trials_of(spec_from(tmp_path, "[search.ppo]\ngama = { grid = [1] }"))


def test_drivers_of_different_worlds_are_not_compared(tmp_path):
    with pytest.raises(ConfigError, match="one world"):
        trials_of(spec_from(tmp_path, 'presets = ["racer-ppo", "highway-ppo"]'))


def test_more_trainings_than_anybody_means_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="10,000"):
        trials_of(
            spec_from(tmp_path, "seeds = [" + "0, " * 101 + "]\nsamples = 100\n[search.ppo]\ngamma = {uniform=[0, 1]}")
        )


def test_the_spec_on_the_page_about_sweeps_gives_as_many_trainings_as_the_page_says(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "scaleout.md").read_text(encoding="utf-8")
    text = re.search(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    assert f"{len(trials_of(spec_from(tmp_path, text)))} trainings" in page


def test_the_example_is_a_sweep():
    trials = trials_of(load_spec(Path(__file__).parents[3] / "examples" / "sweep.toml"))
    assert len(trials) == 12
