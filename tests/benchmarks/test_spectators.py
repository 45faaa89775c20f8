"""What spectators cost: the arithmetic of the pairs, and one real crowd around one real training."""

import json
import math

import pytest
from benchmarks.spectators import Block, SpectatorMeasurement, run_spectators_benchmark, sentence, summary

from hotlap.errors import ConfigError

WANTED = SpectatorMeasurement()


def blocks(watched_s: float, pairs: int = 20, server_s: float = 0.01) -> list[Block]:
    """A machine that gets slower and slower, with blocks of a second in the middle of it."""
    drift = [1.0 + 0.01 * number for number in range(2 * pairs + 1)]
    return [Block(drift[n] * (watched_s if n % 2 else 1.0), server_s) for n in range(2 * pairs + 1)]


def test_cost_is_that_of_the_watched_blocks_beside_their_neighbours():
    result = summary(WANTED, blocks(watched_s=1.25))
    assert result["cost_percent"] == pytest.approx(20.0)
    assert result["cost_percent_low"] == pytest.approx(result["cost_percent_high"])
    assert result["pairs"] == 20
    assert not result["passed"]
    assert "MISSED" in sentence(result)


def test_machine_that_slows_down_by_itself_is_no_cost():
    result = summary(WANTED, blocks(watched_s=1.0))
    assert result["cost_percent"] == pytest.approx(0.0, abs=1e-9)
    assert result["passed"]


def test_busy_server_fails_whatever_the_clock_says():
    result = summary(WANTED, blocks(watched_s=1.0, server_s=0.2))
    assert result["server_core_percent"] > 10
    assert not result["passed"]


def test_system_that_does_not_tell_leaves_the_clock():
    result = summary(WANTED, blocks(watched_s=1.0, server_s=math.nan))
    assert result["server_core_percent"] is None
    assert result["passed"]
    assert "an unknown part" in sentence(result)


@pytest.mark.parametrize("wrong", [{"spectators": 0}, {"spectators": 65}, {"pairs": 0}, {"rollouts": 0}])
def test_measurement_of_nothing_is_refused(wrong):
    with pytest.raises(ConfigError, match="spectators must be from 1 to 64"):
        SpectatorMeasurement(**wrong)


def watched(capsys, spectators: int, pairs: int) -> dict:
    wanted = SpectatorMeasurement(spectators=spectators, pairs=pairs, rollouts=2, json=True)
    code = run_spectators_benchmark(wanted)
    result = json.loads(capsys.readouterr().out)
    assert (result["spectators"], result["pairs"]) == (spectators, pairs)
    assert code == (0 if result["passed"] else 1)
    return result


@pytest.mark.integration
def test_a_crowd_around_a_real_training_is_measured(capsys):
    assert watched(capsys, spectators=8, pairs=1)["server_core_percent"] is not None


@pytest.mark.soak
def test_sixty_four_spectators_of_a_real_training_cost_next_to_nothing(capsys):
    assert watched(capsys, spectators=64, pairs=2)["server_core_percent"] <= 5
