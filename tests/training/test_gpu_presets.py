"""A preset has its own settings for a GPU, and they count only where hotlap's learner will use one."""

import pytest

from hotlap.commands.training import Train
from hotlap.devices.fused_ppo import fits
from hotlap.errors import ConfigError
from hotlap.learning.network import NetworkShape
from hotlap.training import gpu_presets
from hotlap.training.config import load_preset, preset_names
from hotlap.training.gpu_presets import load_preset_for
from hotlap.training.world_training import training_of

FOR_GPU = [name for name in preset_names() if load_preset(name) != load_preset(name, on_gpu=True)]


@pytest.fixture(params=[True, False])
def gpu(request, monkeypatch):
    monkeypatch.setattr(gpu_presets, "gpu_is_there", lambda: request.param)
    return request.param


def test_settings_for_a_gpu_count_where_it_is_used(gpu):
    cores, there = load_preset("racer-ppo"), load_preset("racer-ppo", on_gpu=True)
    assert there.cars > cores.cars
    assert load_preset_for("racer-ppo", "cpu") == cores
    assert load_preset_for("racer-ppo", "cuda") == there
    assert load_preset_for("racer-ppo", "auto") == (there if gpu else cores)
    assert load_preset_for("racer-ppo", "auto", "sb3") == cores


def test_the_command_begins_from_them(gpu):
    assert (
        Train.default_for(["racer-ppo", "--device", "cuda"]).config.cars == load_preset("racer-ppo", on_gpu=True).cars
    )
    assert Train.default_for(["racer-ppo", "--device", "cpu"]).config.cars == load_preset("racer-ppo").cars
    assert Train.default_for(["racer-ppo", "--on", "ray"]).config.cars == load_preset("racer-ppo").cars


@pytest.mark.parametrize("name", FOR_GPU)
def test_presets_with_settings_for_a_gpu_learn_there_from_a_teacher_or_with_our_own_kernels(name):
    there = load_preset(name, on_gpu=True)
    assert there.algorithm == "ppo"
    assert there.teacher.steps or fits(NetworkShape(59, there.network.hidden, 3, there.network.activation))


def test_presets_with_a_teacher_that_has_a_kernel_can_learn_on_a_gpu():
    names = ("racer-generalist", "gt-ppo", "gt-generalist", "highway-ppo")
    presets = [load_preset(name, on_gpu=True) for name in names]
    assert all(each.teacher.steps >= each.steps and not training_of(each).reason_against_gpu(each) for each in presets)
    race = load_preset("race-ppo")
    assert "teacher" in training_of(race).reason_against_gpu(race)


def test_a_mistake_in_them_is_told_on_the_cores_too(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[cuda]\ncar = 4\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r'mine.toml.cuda has no key "car". Did you mean "cars"'):
        load_preset(str(path))
