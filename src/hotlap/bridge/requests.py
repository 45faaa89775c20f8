"""The fields of requests, each read with its limits; a wrong one is a BridgeError that says what would be right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hotlap.bridge.json_text import spelled
from hotlap.errors import BridgeError, did_you_mean
from hotlap.racer.batch import GRIP_LAYOUTS
from hotlap.racer.cars import CLASSIC, car_ids
from hotlap.racer.config import RacerConfig
from hotlap.racer.options import ASSISTS
from hotlap.racer.tracks import circuit_ids, track_ids
from hotlap.racer.tracks.generate import LARGEST_SEED
from hotlap.racer.world import check_options

DEFAULT_TRACK = "track-01"
LAYOUTS = ("classic", "full")
MOST_TRACKS = 16


@dataclass(frozen=True)
class WorldRules:
    """Which world a client wants: two equal ones can share a built world."""

    tracks: tuple[str, ...]
    config: RacerConfig
    observation: str
    car: str = CLASSIC
    assists: str = "off"


def read_world(message: Mapping[str, Any], observation: str | None = None) -> WorldRules:
    """Tracks, config, car and observation layout of a request; missing ones are track-01, the defaults and classic."""
    config = message.get("config")
    if config is not None and not isinstance(config, Mapping):
        raise BridgeError(f'config must be an object with "weights" and "episode", not {spelled(config)}')
    car = read_choice(message, "car", (CLASSIC, *car_ids()), default=CLASSIC)
    assists = read_choice(message, "assists", tuple(ASSISTS), default="off")
    layouts = LAYOUTS if car == CLASSIC else GRIP_LAYOUTS
    layout = observation or read_choice(message, "observation", layouts, default=layouts[0])
    return WorldRules(read_tracks(message), RacerConfig.load(config), layout, car, assists)


def read_tracks(message: Mapping[str, Any]) -> tuple[str, ...]:
    """`tracks`, a list of ids, or `trackId`, one. Only built-in ids: a request never names a file."""
    several = message.get("tracks")
    if several is None:
        one = message.get("trackId")
        return (known_track(DEFAULT_TRACK if one is None else one),)
    if not isinstance(several, list) or not 1 <= len(several) <= MOST_TRACKS:
        raise BridgeError(f"tracks must be a list of 1 to {MOST_TRACKS} track ids, not {spelled(several)}")
    return tuple(known_track(item) for item in several)


def known_track(track_id: Any) -> str:
    """The id of a built-in track."""
    if not isinstance(track_id, str) or track_id not in (*track_ids(), *circuit_ids()):
        raise BridgeError(f'Unknown track "{spelled(track_id)}". Available: {", ".join(track_ids())}')
    return track_id


def read_seed(message: Mapping[str, Any]) -> int | None:
    """The seed, or None: the generator stays as it is."""
    seed = message.get("seed")
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise BridgeError(f"seed must be a whole number from 0 to {LARGEST_SEED}, not {spelled(seed)}")
    return seed


def read_options(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reset options as RacerEnv takes them: start, gate, track, action_delay."""
    options = message.get("options")
    if options is not None and not isinstance(options, Mapping):
        raise BridgeError(f'options must be an object such as {{"start": "random"}}, not {spelled(options)}')
    return check_options(options)


def read_cars(message: Mapping[str, Any], most: int) -> int:
    """How many cars a batch has."""
    return read_count(message, "cars", 1, most)


def read_count(message: Mapping[str, Any], name: str, default: int, most: int) -> int:
    """A whole number from 1 to `most`."""
    value = message.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise BridgeError(f"{name} must be a whole number from 1 to {most}, not {spelled(value)}")
    return value


def read_choice(message: Mapping[str, Any], name: str, known: Sequence[str], default: str | None = None) -> str:
    """One of the known words."""
    value = message.get(name, default)
    if isinstance(value, str) and value in known:
        return value
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    raise BridgeError(f'no {name} "{spelled(value)}".{hint} Known: {", ".join(known) or "none"}')
