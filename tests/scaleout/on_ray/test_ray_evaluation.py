"""An evaluation on a cluster: the same bytes as here."""

import pytest

from hotlap.cli import main

pytestmark = pytest.mark.ray


RACE = ["reference", "human", "--track", "track-02", "track-01", "--laps", "2", "--steps", "300"]
RIDE = ["cruise", "--vehicles", "0", "8", "--episodes", "1", "--no-baselines"]


@pytest.mark.timeout(600)
def test_an_evaluation_on_a_cluster_says_what_one_here_says(capsys, cluster, tmp_path):
    there = ["--on", "ray", "--address", cluster.address]
    for words in (RACE, RIDE):
        asked = ["evaluate", *words, "--root", str(tmp_path / "none"), "--json"]
        main(asked)
        here = capsys.readouterr().out
        main([*asked, *there])
        assert capsys.readouterr().out == here
        assert here.startswith("[" if words is RACE else "{")
