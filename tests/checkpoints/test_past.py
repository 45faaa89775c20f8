"""Past policies: which steps are kept, for good, also over a resume."""

import pytest

from hotlap.checkpoints import PastPolicies, list_past_policies, past_step
from hotlap.errors import CheckpointError, CheckpointWriteError


def kept(run) -> list[int]:
    return [past_step(path) for path in list_past_policies(run)]


def go_through(run, steps, first=50) -> None:
    """A training that passes these steps, begun anew from what is on the disk."""
    past = PastPolicies(run, first)
    for step in steps:
        if past.is_due(step):
            past.keep(step, str(step).encode())


def test_each_past_policy_has_twice_the_steps_of_the_one_before(tmp_path):
    go_through(tmp_path, range(0, 10_001, 16))
    assert kept(tmp_path) == [64, 112, 208, 400, 800, 1600, 3200, 6400]
    assert list_past_policies(tmp_path)[0].read_bytes() == b"64"


def test_resumed_run_keeps_what_it_has_and_goes_on(tmp_path):
    go_through(tmp_path, range(0, 300, 10))
    go_through(tmp_path, range(250, 900, 10))
    assert kept(tmp_path) == [50, 100, 200, 400, 800]


def test_run_that_falls_back_to_an_earlier_step_does_not_keep_twice(tmp_path):
    go_through(tmp_path, range(0, 410, 10))
    go_through(tmp_path, range(55, 410, 10))
    assert kept(tmp_path) == [50, 100, 200, 400]


def test_long_rollouts_skip_what_they_passed(tmp_path):
    go_through(tmp_path, [0, 1000, 2000, 4000])
    assert kept(tmp_path) == [1000, 2000, 4000]


def test_first_of_zero_keeps_none(tmp_path):
    go_through(tmp_path, range(1000), first=0)
    assert not (tmp_path / "past").exists()


def test_policy_that_could_not_be_made_is_not_tried_again_before_the_next_is_due(tmp_path):
    past = PastPolicies(tmp_path, 50)
    past.keep(60, None)
    assert not past.is_due(99)
    assert past.is_due(100)


def test_folder_that_cannot_be_made_is_a_write_error(tmp_path):
    past = PastPolicies(tmp_path, 50)
    (tmp_path / "past").write_text("in the way", encoding="utf-8")
    with pytest.raises(CheckpointWriteError, match="past: cannot be made"):
        past.keep(50, b"policy")
    assert not past.is_due(60)


def test_other_files_and_links_are_not_listed(tmp_path):
    go_through(tmp_path, [50])
    for name in ("readme.txt", ".step-000000000100.onnx.saving", "step-1.onnx"):
        (tmp_path / "past" / name).write_bytes(b"")
    assert kept(tmp_path) == [50]
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "past").symlink_to(tmp_path / "past")
    with pytest.raises(CheckpointError, match="is a link"):
        list_past_policies(linked)
