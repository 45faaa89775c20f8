"""Self-play: past selves drive as they did, half of the grids hold only the newest policy, and all of it is state."""

import numpy as np
import pytest

from hotlap.errors import ConfigError
from hotlap.policies.onnx_policy import OnnxPolicy
from hotlap.race.opponents import Opponents
from hotlap.training.self_play import NEWEST, SelfPlaySeat, Selves, training_opponents
from hotlap.training.session import open_session
from training.tiny_runs import tiny_config

pytestmark = pytest.mark.integration


def race_config(**changes):
    race = {"cars": 4, "learners": 2, "opponents": ["past", "line-80"], "config": {"episode": {"maxSteps": 40}}}
    settings = {"world": "race", "race": race, "checkpoint": {"first_past": 100}, **changes}
    return tiny_config("ppo", racer={"observation": "full"}, **settings)


def trained_session(config, steps: int = 256):
    session = open_session(config)
    session.model.learn(steps, callback=session.schedules)
    return session


@pytest.mark.parametrize("activation", ["relu", "tanh", "elu"])
def test_newest_self_acts_as_the_exported_policy(activation):
    session = open_session(race_config(network={"hidden": [8, 6], "activation": activation}))
    session.model.learn(128, callback=session.schedules)
    selves = session.env.world.drivers[0].selves
    callback = session.schedules[-1]
    callback.init_callback(session.model)
    callback.on_rollout_start()
    seen = session.env.world.batch.observation
    policy = OnnxPolicy(session.export_policy(), world="race")
    np.testing.assert_allclose(selves.act(NEWEST, seen), policy.act(seen), atol=2e-5)


def test_past_selves_are_kept_at_twice_the_steps_and_the_oldest_goes():
    selves = Selves(race_config())
    for step in range(0, 3300, 50):
        selves.take(step, np.full(selves.weights.shape[1], step, np.float32), None)
    assert selves.steps.tolist() == [3250, 3200, 1600, 800, 400]
    assert selves.weights[:, 0].tolist() == selves.steps.tolist()
    assert {selves.past(number) for number in range(8)} == {1, 2, 3, 4}


def test_half_of_the_grids_hold_only_the_newest_policy():
    session = trained_session(race_config(cars=8))
    world = session.env.world
    seats, race = world.drivers, world.batch
    selves = seats[0].selves
    selves.weights[1:] += 0.5
    actions = np.zeros((race.count, 3))
    Opponents(race, seats, world.learners).write_actions(actions)
    rows = np.arange(race.count).reshape(-1, 4)
    newest = selves.act(NEWEST, race.observation)
    np.testing.assert_allclose(actions[rows[0::2, 2:]], newest[rows[0::2, 2:]], atol=1e-6)
    past = selves.act(selves.past(0), race.observation)
    np.testing.assert_allclose(actions[rows[1, 2]], past[rows[1, 2]], atol=1e-6)
    assert not np.allclose(actions[rows[1::2, 2:]], newest[rows[1::2, 2:]])


def test_world_carries_its_past_selves():
    world = trained_session(race_config()).env.world
    kept = world.copied_state()
    assert kept["selves_steps"].tolist()[:3] == [192, 128, 0]
    world.drivers[0].selves.weights[:] = 0.0
    world.put_state(kept)
    assert world.drivers[0].selves.weights.tobytes() == kept["selves_weights"].tobytes()


def test_without_past_selves_seats_are_as_they_are_named():
    assert training_opponents(race_config(race={"opponents": ["line-80", "line-90"]})) == ("line-80", "line-90")
    assert training_opponents(race_config(race={"cars": 4, "learners": 4})) == ()
    seats = training_opponents(race_config())
    assert [seat.name for seat in seats if isinstance(seat, SelfPlaySeat)] == ["past", "line-80"]


def test_past_selves_of_another_algorithm_are_refused():
    with pytest.raises(ConfigError, match="only where ppo learns, not sac"):
        training_opponents(tiny_config("sac", world="race", race={"opponents": ["past"]}))
