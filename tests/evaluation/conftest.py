"""Evaluations are kept in the folder of the runs: none of these tests may write into a real one."""

import pytest


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
