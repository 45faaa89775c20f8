"""How much memory a long training takes; docs/performance.md has the curve of more than an hour."""

import resource
import statistics
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

STEPS = 60_000_000
"""Four minutes on two quiet cores: 240 evaluations, four checkpoints, thousands of rollouts."""
WARM_S = 60
"""After so long everything has been used once; a sample is a second."""
NOISE_BYTES = 16_000_000
"""What one evaluation more or less in a sample makes."""
COMMAND = ("-m", "hotlap", "train", "-q", "racer-ppo", "--cars", "256", "--steps", str(STEPS))


def resident_bytes(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read where Linux shows it")
def test_long_training_of_256_cars_does_not_grow_and_stays_under_a_gigabyte(tmp_path):
    process = subprocess.Popen([sys.executable, *COMMAND, "--root", str(tmp_path)])
    samples = []
    while process.poll() is None:
        samples.append(resident_bytes(process.pid))
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
    assert process.returncode == 0
    assert max(samples) < 1_000_000_000
    warm = samples[WARM_S:]
    third = len(warm) // 3
    assert statistics.median(warm[-third:]) < statistics.median(warm[:third]) + NOISE_BYTES
