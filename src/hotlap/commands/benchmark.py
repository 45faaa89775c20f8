"""The options of `hotlap benchmark …`."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class EnvBenchmark:
    """Measure the worlds: batch ticks per second, single-env steps per second, reset, start-up and memory per car."""

    cars: int = 2048
    """Cars in the batch, 1 to a million; the rates are steady from about a thousand."""
    ticks: int = 100
    """Ticks each car drives in one measurement, 1 or more."""
    repeats: int = 20
    """Measurements of each kind; the best is reported, as the least disturbed."""
    peers: bool = False
    """Measure other driving environments in the same run and print the ratios; needs `pip install "hotlap[peers]"`."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int | None:
        """Measure and print."""
        from hotlap.benchmark.env import run_env_benchmark

        return run_env_benchmark(**asdict(self))
