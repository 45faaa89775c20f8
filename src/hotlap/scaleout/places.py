"""Where one training runs when it runs on Ray."""

from dataclasses import dataclass

from hotlap.settings import check_ranges


@dataclass(frozen=True)
class Cluster:
    """Where one training runs when it runs on Ray."""

    address: str = ""
    """HOST:PORT of a Ray cluster; by default one is made of this machine."""
    nodes: int = 2
    """Processes that drive and learn together, each with its share of the cars and of every batch."""
    cores: int = 1
    """Cores of each node."""
    env_runners: int = 2
    """RLlib: processes that drive the cars, each its share of them."""
    learners: int = 0
    """RLlib: processes that learn from what was driven; 0 learns in the process that leads."""
    learner_gpus: float = 0.0
    """RLlib: GPUs for each learner."""

    def __post_init__(self) -> None:
        """Somebody must drive."""
        check_ranges(self, "cluster.", nodes=(1, 10_000), cores=(1, 1024))
        check_ranges(self, "cluster.", env_runners=(1, 10_000), learners=(0, 1000), learner_gpus=(0.0, 64.0))
