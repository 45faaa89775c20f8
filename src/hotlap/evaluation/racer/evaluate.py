"""How good a driver is: every start of every track, with and without delay, next to the yardsticks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from hotlap.evaluation.racer.drives import Drives
from hotlap.evaluation.racer.figures import DriveLimits, RacerEvaluation, Targets, TrackEvaluation
from hotlap.evaluation.racer.telemetry import lap_telemetry
from hotlap.evaluation.racer.yardsticks import ORIGINAL_DRIVER, find_reference, human_drive
from hotlap.policies import Policy
from hotlap.policies.limit import limit_lap
from hotlap.racer.cars import CLASSIC
from hotlap.racer.tracks import Track, load_track

DELAYS = (0, 1)


def evaluate(
    policy: Policy | Callable[[Track], Policy],
    tracks: Sequence[str | Path | Track] | str | Path | Track,
    *,
    limits: DriveLimits | None = None,
    with_human: bool = True,
    name: str | None = None,
    about: Mapping[str, Any] | None = None,
    cars: Sequence[str] = (CLASSIC,),
) -> RacerEvaluation:
    """Drive a policy, or the policy that a function makes for each track, and report what it does.

    Every track is driven by 62 cars at once: from the grid and from rest at each of the 30 gates, each with 0 and with
    1 tick between deciding and acting. The same policy and tracks give the same figures.
    """
    chosen = [tracks] if isinstance(tracks, str | Path | Track) else list(tracks)
    limits = limits or DriveLimits()
    drives = [DriveRequest(load_track(track), car, limits) for track in chosen for car in cars]
    results = [evaluate_on(policy, drive, with_human and drive.car == CLASSIC) for drive in drives]
    if len(cars) > 1:
        results = [replace(result, track=f"{result.track} {result.car}") for result in results]
    driver = name or str(getattr(policy, "name", "driver"))
    return RacerEvaluation(driver, about or {}, results, limits)


class DriveRequest(NamedTuple):
    """A track to be driven, in which car, and how far."""

    track: Track
    car: str
    limits: DriveLimits


def evaluate_on(policy: Policy | Callable[[Track], Policy], request: DriveRequest, with_human: bool) -> TrackEvaluation:
    """One track of an evaluation, in one car."""
    track, car, limits = request
    driver = policy if isinstance(policy, Policy) else policy(track)
    drives = Drives(driver, track, DELAYS, limits, car)
    found = find_reference(track, car)
    reference = None if found is None else found.figures
    limit_s = None if car == CLASSIC else limit_lap(track, car).seconds
    targets = Targets(None if reference is None else reference.lap_s, limit_s)
    human = human_drive(track, limits) if with_human else None
    traces = {delay: drives.trace(delay) for delay in DELAYS}
    return TrackEvaluation(
        track=track.track_id,
        name=track.name,
        length_u=track.length_u,
        by_delay=tuple(drives.figures(delay, targets) for delay in DELAYS),
        reference=reference,
        human=human.figures if human else None,
        original=ORIGINAL_DRIVER.get(track.track_id),
        traces=traces,
        course=track,
        human_trace=human.trace if human else None,
        car=car,
        limit_lap_s=limit_s,
        telemetry=lap_telemetry(traces[0].flying(), track.length_u),
    )
