"""`hotlap bridge` and `hotlap benchmark bridge`: options, exit codes, and figures that are measured."""

import itertools
import json
import logging
import os
import socket
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bridge.running import running_server
from hotlap import cli
from hotlap.benchmark import run_benchmark
from hotlap.benchmark.bridge import (
    BridgeMeasurement,
    echoing_server,
    in_turns,
    measure_step_and_echo,
    shares_of_echo,
)
from hotlap.benchmark.bridge_training import ROLLOUT_STEPS, measure_training
from hotlap.bridge import DEFAULT_PORT
from hotlap.bridge.client import BridgeClient
from hotlap.bridge.serving import MOST_LINES, FewLines, chosen_port, chosen_token
from hotlap.bridge.spawn import spawned_bridge
from hotlap.errors import BridgeConnectionError, ConfigError
from hotlap.racer.env import RacerEnv

KEYS = ["steps", "warmup", "elapsed_sec", "steps_per_sec", "mean_ms", "p50_ms", "p95_ms", "p99_ms", "target", "passed"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.mark.parametrize(
    ("option", "environment", "port"),
    [
        (None, {}, 9876),
        (None, {"BRIDGE_PORT": ""}, 9876),
        (None, {"BRIDGE_PORT": "1"}, 1),
        (None, {"BRIDGE_PORT": " 65535 "}, 65_535),
        (8000, {"BRIDGE_PORT": "9000"}, 8000),
        (0, {}, 0),
    ],
)
def test_port_is_the_option_then_the_environment_then_9876(option, environment, port):
    assert chosen_port(option, environment) == port


def test_help_names_the_port_that_is_the_default(capsys):
    with pytest.raises(SystemExit):
        cli.main(["bridge", "--help"])
    assert str(DEFAULT_PORT) in capsys.readouterr().out


@pytest.mark.parametrize("seconds", ["nan", "-1"])
def test_an_idle_timeout_that_cannot_be_is_the_users_mistake(seconds, capsys):
    assert cli.main(["bridge", "--idle-timeout", seconds]) == 2
    assert "--idle-timeout must be seconds" in capsys.readouterr().err


def test_log_of_a_server_does_not_flood():
    now_s = 0.0
    few = FewLines(clock=lambda: now_s)
    records = [logging.LogRecord("x", logging.ERROR, "", 0, "broken %d", (k,), None) for k in range(1000)]
    assert sum(map(few.filter, records)) == MOST_LINES
    now_s = 61.0
    assert few.filter(records[7])
    assert records[7].getMessage() == f"broken 7 ({1000 - MOST_LINES} more lines were left out)"


@pytest.mark.parametrize("written", ["0", "65536", "-1", "x", "9876.0", "1e3", "٣", "9" * 5000])
def test_a_port_that_cannot_be_is_the_users_mistake(written, monkeypatch, capsys):
    with pytest.raises(ConfigError, match="BRIDGE_PORT must be a whole number from 1 to 65535"):
        chosen_port(None, {"BRIDGE_PORT": written})
    monkeypatch.setenv("BRIDGE_PORT", written)
    assert cli.main(["bridge"]) == 2
    assert "BRIDGE_PORT" in capsys.readouterr().err


def test_token_comes_from_its_file_then_from_the_environment(tmp_path):
    file = tmp_path / "token"
    file.write_text("abc\n", encoding="ascii")
    assert chosen_token(file, {"BRIDGE_TOKEN": "def"}) == "abc"
    assert chosen_token(None, {"BRIDGE_TOKEN": "def"}) == "def"
    assert chosen_token(None, {"BRIDGE_TOKEN": ""}) is None
    with pytest.raises(ConfigError, match="the token cannot be read"):
        chosen_token(tmp_path / "none", {})


def test_another_host_without_a_token_is_the_users_mistake(monkeypatch, capsys):
    monkeypatch.delenv("BRIDGE_TOKEN", raising=False)
    assert cli.main(["bridge", "--host", "0.0.0.0", "--port", "0"]) == 2  # noqa: S104 - it is refused
    assert "needs a token" in capsys.readouterr().err


def test_a_taken_port_is_the_users_mistake(server, capsys):
    assert cli.main(["bridge", "--port", str(server.port)]) == 2
    assert "cannot listen" in capsys.readouterr().err


def test_benchmark_says_everything_about_a_run(server):
    result = run_benchmark(steps=50, target=1.0, warmup=5, url=server.url)
    assert list(result) == KEYS
    assert (result["steps"], result["warmup"], result["target"], result["passed"]) == (50, 5, 1.0, True)
    assert result["steps_per_sec"] == pytest.approx(50 / result["elapsed_sec"])
    assert result["mean_ms"] == pytest.approx(result["elapsed_sec"] * 1000 / 50)
    assert 0 < result["p50_ms"] <= result["p95_ms"] <= result["p99_ms"]


def test_benchmark_steps_once_for_each_step_and_frees_the_server():
    with running_server() as server:
        seen = []
        session = server.call(lambda: server.server.open_session)

        def open_session(connection, path):
            made = session(connection, path)
            start = made.start
            made.start = lambda payload: (seen.append(payload), start(payload))[1]
            return made

        server.server.open_session = open_session
        run_benchmark(steps=20, target=1.0, warmup=7, url=server.url)
        assert sum(b'"step"' in payload for payload in seen) == 27
        assert sum(b'"close"' in payload for payload in seen) == 1


def test_benchmark_closes_its_environment_when_it_fails(monkeypatch, server):
    closed, close = [], RacerEnv.close
    monkeypatch.setattr(RacerEnv, "step", lambda *_: 1 / 0)
    monkeypatch.setattr(RacerEnv, "close", lambda env: (closed.append(True), close(env)))
    with pytest.raises(ZeroDivisionError):
        run_benchmark(steps=5, url=server.url)
    assert closed == [True]


def test_benchmark_below_its_target_has_not_passed(server):
    assert run_benchmark(steps=5, target=1e9, warmup=0, url=server.url)["passed"] is False


def test_benchmark_without_a_bridge_exits_with_two_and_says_how_to_start_one(capsys):
    url = f"ws://127.0.0.1:{free_port()}"
    with pytest.raises(BridgeConnectionError):
        run_benchmark(url=url)
    assert cli.main(["benchmark", "bridge", "--url", url]) == 2
    assert 'Start it with "hotlap bridge"' in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"warmup": -1}, {"cars": -1}, {"train": -1}])
def test_benchmark_of_nothing_is_refused(wrong):
    with pytest.raises(ConfigError, match="steps must be at least 1"):
        BridgeMeasurement(**wrong)


@pytest.mark.integration
def test_benchmark_prints_step_echo_and_batch_and_exits_by_its_target(capsys):
    words = ["benchmark", "bridge", "--spawn", "--steps", "200", "--warmup", "20", "--cars", "64", "--json"]
    assert cli.main([*words, "--target", "1"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(KEYS) < set(result)
    assert set(result["share_of_echo"]) == {"env", "protocol", "bytes"}
    for share in result["share_of_echo"].values():
        assert 0 < share["low"] <= share["value"] <= share["high"]
    assert result["echo"]["steps"] == result["protocol"]["steps"] == 200
    assert result["batch"]["car_steps_per_sec"] > 0
    assert cli.main([*words[:-1], "--target", "1e9"]) == 1
    table = capsys.readouterr().out
    assert "MISSED" in table
    for row in ("RacerEnv.step", "BridgeClient.send_step", "bare echo, same size", "share of the echo", "batch of 64"):
        assert row in table


@pytest.mark.integration
def test_one_server_has_the_echo_and_the_worlds():
    with echoing_server() as server, BridgeClient(server.url) as client:
        assert client.send_reset()["type"] == "reset_result"
        echo = BridgeClient(f"{server.url}/echo/77")
        assert echo.exchange(b'{"type":"reset"}', "echo") == b"x" * 77
        echo.close()


def test_blocks_take_turns_forwards_and_backwards():
    seen = []
    calls = {name: partial(seen.append, name) for name in ("one", "two", "three")}
    blocks = in_turns(calls, 250)
    assert [[len(block) for block in blocks[name]] for name in calls] == [[84, 83, 83]] * 3
    order = [name for name, _ in itertools.groupby(seen)]
    assert order == ["one", "two", "three", "two", "one", "two", "three"]


def test_share_of_the_echo_is_that_of_the_turns_and_not_of_the_whole_run():
    """A machine that is ten times slower for every third turn slows step and echo alike."""
    slow = np.where(np.arange(30) % 3 == 0, 10.0, 1.0)
    blocks = {name: [np.full(5, cost * factor) for factor in slow] for name, cost in (("env", 1.25), ("echo", 1.0))}
    blocks["env"][1] *= 50  # a step that lost its core to somebody else
    assert shares_of_echo(blocks) == {"env": {"value": 0.8, "low": 0.8, "high": 0.8}}


def idle_share(seconds: float = 1.0) -> float:
    """How much of all cores nobody uses."""

    def ticks() -> tuple[int, int]:
        numbers = [int(word) for word in Path("/proc/stat").read_text(encoding="ascii").split()[1:9]]
        return numbers[3], sum(numbers)

    idle, total = ticks()
    time.sleep(seconds)
    later_idle, later_total = ticks()
    return (later_idle - idle) / max(later_total - total, 1)


@pytest.mark.soak
def test_car_costs_little_beside_a_bare_echo():
    """The best of three. Where others need the cores, both ends share what is left and wake with cold caches."""
    quiet = (os.cpu_count() or 1) >= 2 and idle_share() > 0.9
    with echoing_server() as server:
        results = [measure_step_and_echo(BridgeMeasurement(steps=2000, spawn=True), server.url) for _ in range(3)]
    best = {name: max(result["share_of_echo"][name]["value"] for result in results) for name in ("protocol", "bytes")}
    assert best["bytes"] >= (0.7 if quiet else 0.5)
    assert best["protocol"] >= (0.7 if quiet else 0.5)


@pytest.mark.soak
def test_training_over_the_bridge_is_nearly_as_fast_as_in_one_process():
    """A rollout of each in turns, so that whoever else uses the machine slows both."""
    with spawned_bridge() as server:
        result = measure_training(server.url, cars=1024, steps=6 * 1024 * ROLLOUT_STEPS)
    assert result["share"] >= 0.7
