"""The options of `hotlap benchmark …` and of `hotlap suite`."""

from dataclasses import asdict, dataclass

from hotlap.benchmark.options import SafetyOptions, SuiteRequest, TrainRequest


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


@dataclass(frozen=True)
class HighwayBenchmark:
    """Measure the highway world: decisions per second with no, few and many vehicles around, supervisor on."""

    roads: int = 512
    """Roads in the batch, each with its ego, 1 to 100,000."""
    decisions: int = 50
    """Decisions each ego drives in one measurement, 1 or more; a decision is four ticks of 0.05 s."""
    repeats: int = 20
    """Measurements of each kind; the best is reported, as the least disturbed."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int | None:
        """Measure and print."""
        from hotlap.benchmark.highway import run_highway_benchmark

        return run_highway_benchmark(**asdict(self))


@dataclass(frozen=True)
class RaceBenchmark:
    """Measure races: ticks of cars per second in grids of 1, 2, 8 and 20, contact and what drivers see included."""

    cars: int = 960
    """Cars of all grids together, 1 to a million."""
    ticks: int = 60
    """Ticks of one measurement, 1 or more."""
    repeats: int = 20
    """Measurements of each kind; the best is reported, as the least disturbed."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int | None:
        """Measure and print."""
        from hotlap.benchmark.race import run_race_benchmark

        return run_race_benchmark(**asdict(self))


@dataclass(frozen=True)
class GpuBenchmark:
    """Drive both worlds on an NVIDIA GPU and here with the same actions: speed, and exit 1 if they do not agree."""

    cars: int = 131_072
    """Cars, and an eighth as many roads, in the measurement of speed, 1024 to a million; the comparison takes 1,024."""
    ticks: int = 100
    """Ticks or decisions of one measurement, 1 or more."""
    repeats: int = 5
    """Measurements of each kind; the best is reported, as the least disturbed."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int | None:
        """Measure and print."""
        from hotlap.benchmark.gpu import run_gpu_benchmark

        return run_gpu_benchmark(**asdict(self))


@dataclass(frozen=True)
class HighwaySafety(SafetyOptions):
    """Drive hostile, random and sleeping drivers through traffic with the supervisor on; exit 1 if one was at fault."""

    def run(self) -> int | None:
        """Drive and print the figures."""
        from hotlap.benchmark.highway_safety import run_highway_safety

        return run_highway_safety(self)


@dataclass(frozen=True)
class TrainBenchmark(TrainRequest):
    """Measure learning: steps per second end to end, the world's share of the time, and how good the driver is."""

    def run(self) -> int:
        """Train, measure, print."""
        from hotlap.benchmark.train import run_train_benchmark

        return run_train_benchmark(self)


@dataclass(frozen=True)
class RunSuite(SuiteRequest):
    """Compare learning algorithms on a fixed, versioned set of tasks; the same command resumes it or adds to it."""

    def run(self) -> int:
        """Train, evaluate, sum up."""
        from hotlap.benchmark.suite.run_suite import run_suite

        return run_suite(self)
