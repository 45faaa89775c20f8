"""The racing world behind a socket, as RacerEnv drives it: reset, step and close, whichever server it is."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotlap.bridge.client import BridgeClient
from hotlap.bridge.json_text import StepResult, encode, read_step_result
from hotlap.errors import BridgeError, ConfigError
from hotlap.racer.cars import CLASSIC
from hotlap.racer.config import RacerConfig
from hotlap.racer.options import (
    RacerOptions,
    TrackChoice,
    check_delay,
    checked_layout,
    load_cars,
    observation_bounds,
)
from hotlap.racer.starts import check_start_kind
from hotlap.racer.world import check_options

Observation = NDArray[np.float32]
FLOAT32 = np.dtype(np.float32)
PLAIN = {"start": "grid", "action_delay": 0}


class RemoteRacer:
    """One car in a bridge server. What the original protocol cannot say is asked only of servers that offer it."""

    def __init__(self, bridge_url: str, given: RacerOptions) -> None:
        self.tracks = track_names(given.track)
        self.config = dataclasses.asdict(RacerConfig.load(given.config))
        self.layout = checked_layout(given.observation, load_cars(given.car))
        self.driven = {} if given.car == CLASSIC else {"car": given.car, "assists": given.assists}
        self.size = len(observation_bounds(self.layout)[0])
        self.defaults = {"start": check_start_kind(given.start), "action_delay": check_delay(given.action_delay)}
        self.client = BridgeClient(bridge_url)
        try:
            self.capabilities = frozenset(self.client.hello().get("capabilities", ()))
        except BaseException:
            self.client.close()
            raise

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        beyond = self._beyond(seed, options)
        if "reset-options" not in self.capabilities:
            if set(beyond) - {"seed"}:
                raise BridgeError(
                    f"Bridge error: {self.client.url} knows no {', '.join(beyond)}; it speaks the original protocol."
                )
            beyond = {}  # nothing random, nothing to seed
        reply = self.client.send_reset(self.config, self.tracks[0], **beyond)
        return self._seen(_numbers(reply)), reply["info"]

    def _beyond(self, seed: int | None, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """The fields of a reset that the original has not."""
        wanted = {**self.defaults, **check_options(options)}
        fields: dict[str, Any] = {}
        if seed is not None:
            fields["seed"] = int(seed)
        if wanted != PLAIN:
            fields["options"] = {key: _plain(value) for key, value in wanted.items()}
        if self.layout != "classic":
            fields["observation"] = self.layout
        fields.update(self.driven)
        if len(self.tracks) > 1:
            fields["tracks"] = self.tracks
        return fields

    def step(self, action: list[float]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One tick."""
        payload = self.client.exchange(encode({"type": "step", "action": action}), "step")
        result = read_step_result(payload) or _odd_result(self.client.checked(payload))
        observation = self._seen(result.observation)
        return observation, result.reward, result.terminated, result.truncated, result.info

    def close(self) -> None:
        """Drop the car and the connection; a second time does nothing."""
        self.client.close()

    def _seen(self, numbers: list[float]) -> Observation:
        if len(numbers) != self.size:
            raise BridgeError(f"Bridge error: the observation is not a list of {self.size} numbers.")
        return np.array(numbers, FLOAT32)


def _odd_result(reply: Mapping[str, Any]) -> StepResult:
    """The result of a step that a server spells in its own way, or in words what is wrong with it."""
    missing = [name for name in ("reward", "terminated", "truncated", "info") if name not in reply]
    if missing:
        raise BridgeError(f"Bridge error: the result of a step has no {missing[0]}.")
    reward = reply["reward"]
    if type(reward) is not float and type(reward) is not int:
        raise BridgeError(f"Bridge error: the reward is {reward!r}, not a number; the server misread its config.")
    ends = (bool(reply["terminated"]), bool(reply["truncated"]))
    return StepResult(_numbers(reply), float(reward), *ends, reply["info"])


def _numbers(reply: Mapping[str, Any]) -> list[float]:
    """What the driver sees; nothing where that is no list of numbers."""
    numbers = reply.get("observation")
    return numbers if isinstance(numbers, list) and all(type(item) in (float, int) for item in numbers) else []


def track_names(track: TrackChoice) -> list[str]:
    """Ids of tracks; a server opens no files that a client names."""
    chosen = list(track) if isinstance(track, list | tuple) else [track]
    if not chosen or not all(isinstance(item, str) for item in chosen):
        raise ConfigError(f"over a bridge, tracks are named by their ids, such as track-01, not {track!r}.")
    return [str(item) for item in chosen]


def _plain(value: Any) -> Any:
    """A numpy number as JSON takes it."""
    return value.item() if isinstance(value, np.generic) else value
