"""Rewards: weighted facts of one tick, and when an episode ends."""

from hotlap.episodes import Episodes, is_out_of_time
from hotlap.kernel import kernel
from hotlap.racer.fleet import FleetState, Rules, StepOutputs
from hotlap.racer.physics import ROAD, Physics


@kernel
def lap_progress(from_arc_u: float, to_arc_u: float, length_u: float) -> float:
    """Distance gained along the lap, the short way round."""
    gained = to_arc_u - from_arc_u
    if gained > length_u / 2.0:
        return gained - length_u
    return gained + length_u if gained < -length_u / 2.0 else gained


@kernel
def write_reward(
    fleet: FleetState, car: int, gained_u: float, length_u: float, rules: Rules, out: StepOutputs, physics: Physics
) -> None:
    """The six parts of the reward, and their sum in that order."""
    speed = fleet.speed_ups[car]
    still = speed < rules.stillness_threshold_ups
    out.progress[car] = gained_u / length_u * rules.progress + gained_u * rules.distance_bonus / 1000.0
    out.speed[car] = speed / physics.max_speed_ups * rules.speed_bonus
    out.wall[car] = rules.wall_penalty if out.wall_contact[car] else 0.0
    out.off_track[car] = rules.off_track_penalty if fleet.surface[car] != ROAD else 0.0
    out.backward[car] = rules.backward_penalty if gained_u < 0.0 else 0.0
    out.stillness[car] = rules.stillness_penalty if still else 0.0
    out.reward[car] = (
        out.progress[car] + out.speed[car] + out.wall[car] + out.off_track[car] + out.backward[car] + out.stillness[car]
    )


@kernel
def accumulate_episode(fleet: FleetState, car: int, episodes: Episodes, rules: Rules, out: StepOutputs) -> None:
    """Count the step and tell whether the episode is over: parked too long, too long off the road, or out of time."""
    episodes.episode_return[car] += out.reward[car]
    still = fleet.speed_ups[car] < rules.stillness_threshold_ups
    fleet.tick[car] += 1
    fleet.still_ticks[car] = fleet.still_ticks[car] + 1 if still else 0
    lost = 0.0 < rules.off_track_timeout_ticks <= fleet.lap_off_road_ticks[car]
    out.terminated[car] = 1 if lost or fleet.still_ticks[car] >= rules.stillness_timeout_ticks else 0
    out.truncated[car] = 1 if is_out_of_time(episodes, car, fleet.tick[car], rules.max_steps) else 0
