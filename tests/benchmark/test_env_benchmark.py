"""The measurements of the racing world: what is counted, what is reported, what is refused. None asserts a time."""

import io
import itertools
import json
import re
from dataclasses import asdict

import numpy as np
import pytest
from rich.console import Console

from hotlap import cli
from hotlap.benchmark import env as benchmark
from hotlap.benchmark import peers, racer
from hotlap.benchmark.driving import MixedDrivers
from hotlap.benchmark.report import BatchRate, Findings, describe_machine, print_tables
from hotlap.errors import ConfigError
from hotlap.racer.fleet import FleetState
from hotlap.racer.world import RacerWorld

SMALL = {"cars": 4, "ticks": 3, "repeats": 2}


def counting_clock():
    """A clock on which every look takes a second, so that a measured stretch lasts as long as it holds looks."""
    looks = itertools.count()
    return lambda: float(next(looks))


def findings(**changes) -> Findings:
    values = {
        "machine": describe_machine(), "settings": SMALL,
        "batches": [BatchRate("track-01", "classic", 1_000_000.0, 1_900_000.0)],
        "vector_env_steps_per_s": 1_500_000.0, "env_steps_per_s": 60_000.0, "env_reset_us": 25.0,
        "start_up_warm_s": 0.75, "start_up_cold_s": 9.5, "state_bytes_per_car": 196, "all_bytes_per_car": 398,
        "peers": [], "peers_missing": [],
    }  # fmt: skip
    return Findings(**{**values, **changes})


def printed(found: Findings) -> str:
    page = io.StringIO()
    print_tables(found, Console(width=140, file=page, highlight=False))
    return page.getvalue()


# Driving


@pytest.mark.parametrize(("track", "layout"), benchmark.CASES)
def test_sensible_half_drives_fast_and_random_half_keeps_moving(track, layout):
    world = RacerWorld(8, track, observation=layout, start="gate")
    for car in range(8):
        world.begin(car, np.random.default_rng(car))
    drivers = MixedDrivers(8, layout)
    speeds = []
    for _ in range(400):
        world.advance(drivers.actions(world.observation))
        speeds.append(world.fleet.speed_ups.copy())
    later = np.array(speeds)[300:].mean(axis=0)
    assert later[0::2].min() > 80.0
    assert later[1::2].mean() > 3.0


def test_drivers_repeat_themselves_with_the_same_seed_only():
    observation = np.random.default_rng(0).uniform(size=(6, 14))
    same, twin, other = MixedDrivers(6, "classic", 1), MixedDrivers(6, "classic", 1), MixedDrivers(6, "classic", 2)
    actions = same.actions(observation)
    assert actions.tobytes() == twin.actions(observation).tobytes()
    assert actions.tobytes() != other.actions(observation).tobytes()


# What is counted


def test_batch_rate_counts_only_the_world():
    """Each advance lies between two looks at the clock and lasts one second, whatever happens in between."""
    case = racer.BatchCase("track-01", "classic", cars=6, threads=1)
    assert racer.batch_rate(case, ticks=5, repeats=2, clock=counting_clock()) == 6.0


def test_vector_env_rate_counts_only_its_steps():
    assert racer.vector_env_rate(cars=3, ticks=4, repeats=2, clock=counting_clock()) == 3.0


def test_single_rate_is_steps_over_the_stretch():
    assert racer.single_rate(50, repeats=2, clock=counting_clock()) == 50.0


def test_reset_cost_is_microseconds_of_one():
    assert racer.reset_us(10, repeats=2, clock=counting_clock()) == pytest.approx(1e5)


def test_least_disturbed_measurement_counts():
    assert racer.best(iter([3.0, 1.0, 2.0])) == 1.0


def test_memory_of_a_car_is_what_its_arrays_hold():
    state, everything = racer.bytes_per_car("classic")
    widths = [np.dtype(kind.__args__[1].__args__[0]).itemsize for kind in FleetState.__annotations__.values()]
    assert state == sum(widths)
    assert state < everything < racer.bytes_per_car("full")[1]
    assert everything < 1024  # the promise: under a kilobyte


def test_start_up_is_measured_in_a_process_of_its_own():
    assert racer.start_up_s(cold=False) > 0.0


QUICK_TO_COMPILE = """
from hotlap.racer.tables import build_tables
from hotlap.racer.tracks import load_track
build_tables([load_track("track-01")])
print(1.0)
"""
"""Stands for the first step of a car, whose kernels take half a minute."""


@pytest.mark.integration
def test_cold_start_compiles_into_an_empty_cache(monkeypatch):
    seen = {}
    run = racer.subprocess.run

    def watch(command, **options):
        done = run(command, **options)
        folder = options["env"]["HOTLAP_CACHE_DIR"]
        seen["compiled"] = any(files for _, _, files in racer.os.walk(folder))
        return done

    monkeypatch.setattr(racer.subprocess, "run", watch)
    monkeypatch.setattr(racer, "FIRST_STEP", QUICK_TO_COMPILE)
    assert racer.start_up_s(cold=True) > 0.0
    assert seen["compiled"]


# Peers


CART = peers.Peer(("CartPole-v99", "CartPole-v1"), "gymnasium", registers=False, seconds_per_step=0.02, sees="x")


def test_peer_is_made_under_the_newest_name_it_has_and_measured():
    [rate] = peers.measure_peers([CART], seconds=5.0, repeats=2, clock=counting_clock())
    assert rate == peers.PeerRate("CartPole-v1", "x", 1.0, 0.02)


def test_peer_that_is_not_installed_is_known_without_importing_it():
    assert peers.installed(CART)
    assert not peers.installed(peers.Peer(("None-v0",), "no_such_module", False, 1.0, ""))


@pytest.mark.parametrize("peer", peers.PEERS, ids=lambda peer: peer.ids[0])
def test_every_peer_that_is_installed_steps(peer):
    if not peers.installed(peer):
        pytest.skip(f"{peer.module} is not installed: {peers.HOW_TO_INSTALL}")
    [rate] = peers.measure_peers([peer], seconds=0.05, repeats=1)
    assert rate.steps_per_s > 0.0


def test_peers_are_asked_for_only_where_installed(monkeypatch):
    monkeypatch.setattr(peers, "PEERS", (CART, peers.Peer(("Absent-v0",), "no_such_module", False, 1.0, "")))
    monkeypatch.setattr(benchmark, "PEER_SECONDS", 0.01)
    said = []
    found, missing = benchmark._peers(1, said.append)
    assert [rate.environment for rate in found] == ["CartPole-v1"]
    assert missing == ["Absent-v0"]
    assert said == ["CartPole-v99 …"]


# The report


def test_tables_tell_rates_gain_and_memory():
    text = printed(findings())
    for words in ("1,000,000", "1,900,000", "1.90 x", "60,000 a second", "25 µs", "0.75 s", "9.5 s", "196 bytes"):
        assert words in text


def test_peer_table_compares_steps_and_simulated_time():
    """60,000 steps of 1/60 s are 1,000 times real time; 50 steps of 0.2 s are 10 times."""
    text = printed(findings(peers=[peers.PeerRate("Slow", "pixels", 50.0, 0.2)]))
    [line] = [line for line in text.splitlines() if "Slow" in line]
    assert re.split(r"\s{2,}", line.strip()) == [
        "Slow",
        "pixels",
        "50",
        "10.0",
        "1,200 x",
        "100 x",
    ]


def test_missing_peers_are_named_with_the_remedy():
    text = printed(findings(peers_missing=["CarRacing"]))
    assert 'Not installed: CarRacing. To compare with them: pip install "hotlap[peers]"' in text


def test_json_holds_every_finding(monkeypatch, capsys):
    monkeypatch.setattr(benchmark, "measure", lambda settings, with_peers, say: findings(settings=settings))
    assert cli.main(["benchmark", "env", "--cars", "4", "--ticks", "3", "--repeats", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == asdict(findings())


def test_run_measures_everything_and_keeps_progress_off_stdout(monkeypatch, capsys):
    monkeypatch.setattr(racer, "start_up_s", lambda cold: 9.0 if cold else 0.5)
    monkeypatch.setattr(benchmark, "SINGLE_STEPS", 10)
    monkeypatch.setattr(benchmark, "RESETS", 3)
    assert benchmark.run_env_benchmark(**SMALL, peers=False, json=True) == 0
    streams = capsys.readouterr()
    found = json.loads(streams.out)
    assert [(row["track"], row["layout"]) for row in found["batches"]] == list(benchmark.CASES)
    assert (found["start_up_warm_s"], found["start_up_cold_s"]) == (0.5, 9.0)
    assert min(found["env_steps_per_s"], found["env_reset_us"], found["vector_env_steps_per_s"]) > 0.0
    assert found["settings"] == SMALL
    assert "track-03" in streams.err


@pytest.mark.parametrize("option", ["cars", "ticks", "repeats"])
@pytest.mark.parametrize("value", [0, -3, 10**9])
def test_setting_out_of_range_is_refused_by_name(option, value, capsys):
    with pytest.raises(ConfigError, match=f"--{option} must be"):
        benchmark.run_env_benchmark(**{**SMALL, option: value}, peers=False, json=True)
