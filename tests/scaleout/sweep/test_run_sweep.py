"""What `hotlap sweep` does before the first training."""

import pytest

from hotlap.checkpoints import RunLock
from hotlap.errors import RunLockedError
from hotlap.scaleout.sweep.run_sweep import SweepRequest, run_sweep


def test_a_sweep_that_another_process_has_is_not_begun_a_second_time(tmp_path):
    (tmp_path / "spec.toml").write_text("[set]\nsteps = 1000")
    folder = tmp_path / "sweeps" / "spec"
    folder.mkdir(parents=True)
    with RunLock(folder), pytest.raises(RunLockedError):
        run_sweep(SweepRequest(tmp_path / "spec.toml", root=tmp_path / "sweeps"))
    assert [path.name for path in folder.iterdir()] == ["lock"]
