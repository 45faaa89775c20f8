"""`hotlap export zoo`: files that rl_zoo3 reads, for every preset."""

import gymnasium as gym
import pytest
import yaml
from torch import nn

from hotlap import cli
from hotlap.training.config import load_preset, preset_names
from hotlap.training.zoo import zoo_env, zoo_file


@pytest.mark.parametrize("preset", preset_names())
def test_file_of_a_preset_has_its_settings_and_makes_its_environment(preset):
    config = load_preset(preset)
    [(env_id, values)] = yaml.safe_load(zoo_file(config, preset)).items()
    assert env_id == zoo_env(config)
    assert (values["n_envs"], values["n_timesteps"]) == (config.cars, config.steps)
    settings = getattr(config, config.algorithm)
    assert values["gamma"] == settings.gamma
    assert float(str(values["learning_rate"]).removeprefix("lin_")) == settings.learning_rate
    network = eval(values["policy_kwargs"], {"nn": nn, "dict": dict})  # noqa: S307 - as rl_zoo3 reads it
    assert network["net_arch"] == list(config.network.hidden)
    options = values["env_kwargs"]
    if "track" in options:
        options = {**options, "track": options["track"][:1]}  # one of many generated tracks shows as much
    env = gym.make(env_id, **options)
    assert isinstance(env.action_space, gym.spaces.Discrete) == (config.algorithm == "dqn")
    env.reset(seed=0)


def test_preset_with_opponents_that_learn_along_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    preset = tmp_path / "self-play.toml"
    preset.write_text('world = "race"\n[race]\nopponents = ["past", "line-88"]\n', encoding="utf-8")
    assert cli.main(["export", "zoo", str(preset)]) == 2
    assert "which rl_zoo3 cannot" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [preset]


def test_numbers_that_are_small_stay_numbers(tmp_path):
    preset = tmp_path / "slow.toml"
    preset.write_text("[ppo]\nlearning_rate = 1e-5\nlearning_rate_end = 1e-5\n", encoding="utf-8")
    values = yaml.safe_load(zoo_file(load_preset(str(preset)), "slow"))["hotlap/Racer-v0"]
    assert values["learning_rate"] == 1e-5


def test_file_is_written_once_and_the_command_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", "zoo", "racer-sac"]) == 0
    assert "--algo sac --env hotlap/Racer-v0 --conf-file racer-sac.yml" in capsys.readouterr().out
    assert cli.main(["export", "zoo", "racer-sac"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert cli.main(["export", "zoo", "racer-sak"]) == 2
    assert 'Did you mean "racer-sac"?' in capsys.readouterr().err
