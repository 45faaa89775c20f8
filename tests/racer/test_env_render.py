"""Pictures of a drive: size, what they show, and that drawing changes nothing."""

import gymnasium as gym
import numpy as np
import pytest

from hotlap import RacerEnv
from hotlap.racer.render import HEIGHT_PX, MAP_PX, WIDTH_PX, car_stamp, turn
from hotlap.racer.tracks import build_track


def drawn(**options) -> RacerEnv:
    env = RacerEnv(render_mode="rgb_array", **options)
    env.reset(seed=2)
    return env


def red_pixels(picture, rows: slice, columns: slice) -> np.ndarray:
    """Row and column of every pixel in the colour of the car's body."""
    part = picture[rows, columns].astype(int)
    return np.argwhere((part[:, :, 0] > 180) & (part[:, :, 1] < 90) & (part[:, :, 2] < 90))


def test_picture_has_the_promised_shape_and_type():
    picture = drawn().render()
    assert (picture.shape, picture.dtype) == ((HEIGHT_PX, WIDTH_PX, 3), np.uint8)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 50


def test_standing_car_is_in_the_middle():
    middle = red_pixels(drawn().render(), slice(100, 400), slice(200, 600)).mean(axis=0)
    assert middle == pytest.approx([150, 200], abs=3.0)  # pixels; the body is not symmetric front to back


def test_moving_car_is_behind_the_middle_of_its_picture():
    env = drawn()
    for _ in range(60):
        env.step([0.0, 1.0, 0.0])
    column = red_pixels(env.render(), slice(200, 300), slice(200, 600))[:, 1].mean()
    assert column < 190.0  # it drives to the right, and the camera looks ahead


def test_dot_on_the_map_follows_the_car():
    env = drawn()
    corner = (slice(0, MAP_PX + 20), slice(WIDTH_PX - MAP_PX - 20, WIDTH_PX))
    before = red_pixels(env.render(), *corner).mean(axis=0)
    env.reset(options={"start": "gate", "gate": 15})
    after = red_pixels(env.render(), *corner).mean(axis=0)
    assert after[0] - before[0] > 20  # the other side of track-01 is further down


def test_drawing_changes_nothing():
    watched, unwatched = drawn(), RacerEnv()
    unwatched.reset(seed=2)
    for _ in range(10):
        watched.render()
        assert watched.step([0.1, 1.0, 0.0])[0].tobytes() == unwatched.step([0.1, 1.0, 0.0])[0].tobytes()


def test_same_state_gives_the_same_picture_in_memory_of_its_own():
    env = drawn()
    one, other = env.render(), env.render()
    assert np.array_equal(one, other)
    assert not np.shares_memory(one, other)


def test_every_track_of_a_set_has_its_own_ground():
    env = drawn(track=["track-01", "track-03"])
    pictures = []
    for track in (0, 1):
        env.reset(options={"track": track})
        pictures.append(env.render())
    assert not np.array_equal(*pictures)


def test_braking_lights_a_light():
    assert np.array(car_stamp(0.3, 0.1, True)).tobytes() != np.array(car_stamp(0.3, 0.1, False)).tobytes()


def test_shape_turns_counter_clockwise():
    assert np.allclose(turn([(1.0, 0.0)], np.pi / 2), [(0.0, 1.0)], atol=1e-15)


def test_huge_track_is_drawn_within_bounds():
    angles = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    points = [[6000 * np.cos(a), 4000 * np.sin(a), 30.0] for a in angles]
    env = drawn(track=build_track(points, track_id="huge", name="Huge"))
    assert env.render().shape == (HEIGHT_PX, WIDTH_PX, 3)
    assert max(env._renderer._grounds[0].image.size) <= 6001


def test_rendering_without_a_mode_warns_and_draws_nothing():
    env = RacerEnv()
    env.reset()
    with pytest.warns(UserWarning, match="rgb_array"):
        assert env.render() is None


def test_gymnasium_can_collect_frames():
    env = gym.make("hotlap/Racer-v0", render_mode="rgb_array_list")
    env.reset()
    env.step(np.zeros(3, np.float32))
    assert len(env.render()) == 2
