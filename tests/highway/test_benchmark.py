"""The measurement of the highway world: what is counted, what is printed, what is refused. None asserts a time."""

import itertools
import json

import pytest

from hotlap import cli
from hotlap.benchmark.highway import decision_rate


def test_only_the_worlds_own_time_counts():
    looks = itertools.count()
    rate = decision_rate(0, 1, roads=4, decisions=5, repeats=2, clock=lambda: float(next(looks)))
    assert rate == 4.0  # every decision of the batch takes one second of this clock


def test_rates_are_printed_for_machines(capsys):
    assert cli.main(["benchmark", "highway", "--roads", "2", "--decisions", "2", "--repeats", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [rate["vehicles"] for rate in found["rates"]] == [0, 10, 20, 40]
    assert all(rate["cores_1"] > 0.0 for rate in found["rates"])


def test_rates_are_printed_for_people(capsys):
    assert cli.main(["benchmark", "highway", "--roads", "2", "--decisions", "2", "--repeats", "1"]) == 0
    assert "vehicles" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--roads", "--decisions", "--repeats"])
def test_senseless_sizes_are_refused(option, capsys):
    assert cli.main(["benchmark", "highway", option, "0"]) == 2
    assert option in capsys.readouterr().err
