"""What a sweep is: presets, seeds, tracks and a search space in one TOML file, and the trials that follow from it."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotlap.checkpoints import check_run_name
from hotlap.errors import ConfigError
from hotlap.scaleout.sweep.search import SearchRange, nested, parse_search, points
from hotlap.settings import check_ranges, merged, read_toml
from hotlap.training.config import MANY, TrainConfig, config_document, config_from_document, load_preset

MOST_TRIALS = 10_000
SIZES = ("sac.buffer_size", "dqn.buffer_size")
"""Settings of how to learn that also decide how large a checkpoint is."""


@dataclass(frozen=True)
class HalvingSettings:
    """Early stopping by successive halving (ASHA): at each rung, the best share goes on."""

    first_rung: int = 0
    """Steps at which runs are compared for the first time; 0 lets every run finish."""
    factor: int = 3
    """One in so many goes on at each rung, and the next rung is so many times as far."""

    def __post_init__(self) -> None:
        """A factor of one would stop nobody."""
        check_ranges(self, "halving.", first_rung=(0, MANY), factor=(2, 100))


@dataclass(frozen=True)
class PopulationSettings:
    """Population-based training: the worst runs take over the best ones' weights, and settings nearby."""

    every_steps: int = 0
    """Steps between two looks at the others; 0 for none."""
    share: float = 0.25
    """The share of runs that take over at each look, and of those they take from; at most a half."""

    def __post_init__(self) -> None:
        """Nobody is among the best and the worst."""
        check_ranges(self, "population.", every_steps=(0, MANY), share=(0.0, 0.5))


@dataclass(frozen=True)
class SweepSpec:
    """Many trainings: every preset with every seed on every set of tracks at every point of the search space."""

    presets: tuple[str, ...] = ("racer-ppo",)
    """Names of presets, or .toml files."""
    seeds: tuple[int, ...] = (0,)
    """One training for each."""
    tracks: tuple[tuple[str, ...], ...] = ()
    """Sets of tracks to train on, in the racer; empty for the presets' own."""
    samples: int = 1
    """Draws of what is drawn at random, for every combination of what is not."""
    search_seed: int = 0
    """Seed of the draws."""
    set: dict[str, Any] = field(default_factory=dict)
    """Settings that all trainings share, as in a preset."""
    search: dict[str, Any] = field(default_factory=dict)
    """Settings that differ: { grid = […] }, { choice = […] }, { uniform = [a, b] } or { loguniform = [a, b] }."""
    evaluate_on: tuple[str, ...] = ()
    """Tracks the best policy is evaluated on in the end; empty for all that come along."""
    halving: HalvingSettings = field(default_factory=HalvingSettings)
    population: PopulationSettings = field(default_factory=PopulationSettings)

    def __post_init__(self) -> None:
        """At least one of everything, and one way to steer at most."""
        check_ranges(self, "", samples=(1, MOST_TRIALS), search_seed=(0, MANY))
        if not self.presets or not self.seeds:
            raise ConfigError("a sweep needs at least one preset and one seed.")
        if self.halving.first_rung and self.population.every_steps:
            raise ConfigError("a sweep stops runs early or lets them learn from each other: halving or population.")
        if self.population.every_steps:
            self._check_population()

    def _check_population(self) -> None:
        """Weights can be handed on only where every run has the same networks, cars and tracks."""
        if not self.search:
            raise ConfigError("a population needs settings to differ in: give the sweep a [search].")
        if len(self.presets) > 1 or len(self.tracks) > 1:
            raise ConfigError("a population shares its weights: give the sweep one preset and one set of tracks.")
        for name in self.ranges:
            if name.split(".")[0] not in ("ppo", "sac", "dqn") or name in SIZES:
                raise ConfigError(f"a population can differ in how it learns, as in ppo.gamma, but not in {name}.")

    @property
    def ranges(self) -> dict[str, SearchRange]:
        """The search space by dotted setting."""
        return parse_search(self.search)

    @property
    def compared_every(self) -> int:
        """Steps between two comparisons of runs; 0 where there are none."""
        return self.halving.first_rung or self.population.every_steps


@dataclass(frozen=True)
class Trial:
    """One training of a sweep."""

    name: str
    """Its run's name."""
    preset: str
    point: dict[str, Any]
    """What it has of the search space, seeds and tracks, by dotted setting."""
    config: TrainConfig

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "name": self.name,
            "preset": self.preset,
            "point": self.point,
            "config": config_document(self.config),
        }


def trial_from_document(document: Mapping[str, Any]) -> Trial:
    """What `Trial.document` wrote."""
    name, preset = check_run_name(document["name"]), str(document["preset"])
    return Trial(name, preset, dict(document["point"]), config_from_document(document["config"]))


def load_spec(path: Path) -> SweepSpec:
    """A sweep from its TOML file; everything in it is checked, down to the settings of each training."""
    table = read_toml(path)
    if isinstance(table.get("tracks"), list):  # a single track is a set of one
        table["tracks"] = [[each] if isinstance(each, str) else each for each in table["tracks"]]
    return merged(SweepSpec(), table, path.name)


def trials_of(spec: SweepSpec) -> list[Trial]:
    """Every training of a sweep, in order; the same spec gives the same trials."""
    found: list[Trial] = []
    for preset, tracks, point in itertools.product(
        spec.presets, spec.tracks or [()], list(points(spec.ranges, spec.samples, spec.search_seed))
    ):
        chosen = point | ({"racer.tracks": list(tracks)} if tracks else {})
        base = merged(load_preset(preset), spec.set, "set")
        for seed in spec.seeds:
            found.append(_trial(base, preset, chosen | {"seed": seed}, spec, len(found)))
        if len(found) > MOST_TRIALS:
            raise ConfigError(f"the sweep has more than {MOST_TRIALS:,} trainings. Give it fewer.")
    if len({trial.config.world for trial in found}) > 1:
        raise ConfigError("a sweep looks for the best driver of one world: give it presets of the same world.")
    return found


def _trial(base: TrainConfig, preset: str, point: dict[str, Any], spec: SweepSpec, number: int) -> Trial:
    changes = nested(point)
    if spec.compared_every:
        # Runs are compared by their evaluations, and hand on what they saved: both are there in time.
        changes.setdefault("evaluation", {}).setdefault("every_steps", spec.compared_every)
        changes.setdefault("checkpoint_every", str(spec.compared_every))
    return Trial(f"{Path(preset).stem}-{number:04d}", preset, point, merged(base, changes, "search"))
