"""The protocol without sockets: one session per connection takes messages in and gives replies out, within limits."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import msgspec

from hotlap import __version__
from hotlap.actions import checked_action
from hotlap.bridge.batch_messages import ACTION_MAGIC
from hotlap.bridge.json_text import TOO_DEEP, UNDEFINED, decode, encode, printable, read_step, spelled
from hotlap.bridge.races import Race, RaceOrder
from hotlap.bridge.requests import WorldRules, read_cars, read_choice, read_count, read_options, read_seed, read_world
from hotlap.bridge.worlds import BatchOfCars, SingleCar, preparing
from hotlap.errors import BridgeError, ConfigError, HotlapError
from hotlap.policies.policy import Policy
from hotlap.racer.tracks import track_ids
from hotlap.racer.world import ACTION_SHAPE_MESSAGE

PROTOCOL_VERSION = 2
ORIGINAL_VERSION = 1
CAPABILITIES = ("reset-options", "lap-info", "batch", "policy")

STEP_BEFORE_RESET = "Call reset before step"
NO_BATCH = 'No batch. Send {"type": "batch", "cars": 1024} first'
BATCH_NOT_RESET = 'Send {"type": "batch_reset"} before the first actions'
RACE_IS_RUNNING = 'A race is running. Send {"type": "close"} to stop it'
NULL_MESSAGE = "Cannot read properties of null (reading 'type')"
PACES = ("fast", "realtime")
WAIT_S = 0.001
"""How long a slice of waiting for a thread is."""


@dataclass(frozen=True)
class Limits:
    """What one client may ask of the server."""

    payload_bytes: int = 65_536
    """Largest message from a client; a larger one closes the connection with 1009."""
    connections: int = 64
    """Open WebSockets at a time; one more is refused with HTTP 503."""
    unsettled: int = 256
    """Sockets at a time that are still shaking hands or already closing; for one more the oldest is dropped."""
    handshake_s: float = 5.0
    """Time from the first byte of TCP to an open WebSocket."""
    idle_s: float = 900.0
    """Time without a message until the server closes the connection with 1001; 0 means never."""
    stall_s: float = 60.0
    """Time a client may leave replies unread until it is dropped."""
    linger_s: float = 2.0
    """Time a client has to answer a close."""
    cars: int = 4096
    """Most cars in a batch."""

    def __post_init__(self) -> None:
        if not self.idle_s >= 0.0:  # NaN is not
            raise ConfigError(f"--idle-timeout must be seconds from 0 (never) on, not {self.idle_s}.")


class Reply(msgspec.Struct):
    """One message to the client."""

    data: bytes | bytearray
    binary: bool = False


Work = Generator[None, None, Reply]
"""A reply that takes long to make: it stops every millisecond or so, and goes on when it is asked to."""


def text(message: Mapping[str, Any]) -> Reply:
    """A JSON reply."""
    return Reply(encode(message))


def error_reply(reason: str) -> Reply:
    """What every refused request is answered with; the connection stays open and nothing has changed."""
    return text({"type": "error", "message": printable(reason)})


@dataclass
class BridgeSession:
    """One client's world. States: nothing yet, a single car, a batch of cars (both may exist), a running race."""

    drivers: Mapping[str, Policy] = field(default_factory=dict)
    """Policies this server knows, by the name that clients ask for."""
    limits: Limits = field(default_factory=Limits)
    car: SingleCar | None = None
    batch: BatchOfCars | None = None
    race: Race | None = None
    crowded: Callable[[], bool] = lambda: False
    """Whether other clients wait for their turn."""
    lap_info: bool = False
    """Whether the client has said hello: only then does a step's info say more than the original's."""

    def __post_init__(self) -> None:
        self._answers: dict[str, Callable[[dict[str, Any]], Reply | Work]] = {
            "step": self._step,
            "reset": self._reset,
            "close": self._close,
            "hello": self._hello,
            "batch": self._open_batch,
            "batch_reset": self._reset_batch,
            "policy": self._start_race,
        }

    def receive(self, payload: bytes) -> Reply:
        """The one reply to one message, however long it takes."""
        answer = self.start(payload)
        while not isinstance(answer, Reply):
            try:
                next(answer)
            except StopIteration as finished:
                answer = finished.value
        return answer

    def start(self, payload: bytes) -> Reply | Work:
        """The reply to one message, or the work of making it; until that is done no other message may come.

        JSON may come as text or as binary; anything wrong becomes an error reply.
        """
        try:
            if self.car is not None and self.race is None and (action := read_step(payload)) is not None:
                return Reply(encode(self.car.drive(action, lap_info=self.lap_info)))
            if payload.startswith(ACTION_MAGIC):
                return self._step_batch(payload)
            return self._answer(decode(payload))
        except HotlapError as error:
            return error_reply(str(error))
        except RecursionError:
            return error_reply(TOO_DEEP)

    def _answer(self, message: Any) -> Reply | Work:
        if message is None:
            raise BridgeError(NULL_MESSAGE)
        kind = message.get("type", UNDEFINED) if isinstance(message, dict) else UNDEFINED
        answer = self._answers.get(kind) if isinstance(kind, str) else None
        if answer is None:
            raise BridgeError(f"Unknown message type: {spelled(kind)}")
        if self.race is not None and kind != "close":
            raise BridgeError(RACE_IS_RUNNING)
        return answer(message)

    def _hello(self, _message: dict[str, Any]) -> Reply:
        self.lap_info = True
        return text(
            {
                "type": "hello_result",
                "server": "hotlap",
                "version": __version__,
                "protocols": [ORIGINAL_VERSION, PROTOCOL_VERSION],
                "capabilities": CAPABILITIES,
                "tracks": track_ids(),
                "policies": sorted(self.drivers),
                "limits": {"payloadBytes": self.limits.payload_bytes, "cars": self.limits.cars},
            }
        )

    def _reset(self, message: dict[str, Any]) -> Reply | Work:
        wanted, seed, options = read_world(message), read_seed(message), read_options(message)
        return when_prepared(wanted, lambda: self._begin(wanted, seed, options))

    def _begin(self, wanted: WorldRules, seed: int | None, options: Mapping[str, Any]) -> Reply:
        car = self.car if self.car is not None and self.car.rules == wanted else SingleCar(wanted, self.car)
        car.begin(seed, options)
        self.car = car
        return text({"type": "reset_result", "observation": car.observation(), "info": car.reset_info()})

    def _step(self, message: dict[str, Any]) -> Reply:
        """A step that is odd in some way: here it is said in which."""
        if self.car is None:
            raise BridgeError(STEP_BEFORE_RESET)
        action = checked_action(message.get("action"), ACTION_SHAPE_MESSAGE)
        return Reply(encode(self.car.drive(action, lap_info=self.lap_info)))

    def _close(self, _message: dict[str, Any]) -> Reply:
        self.car = self.batch = self.race = None
        return text({"type": "close_result"})

    def _open_batch(self, message: dict[str, Any]) -> Reply | Work:
        count, rules, options = read_cars(message, self.limits.cars), read_world(message), read_options(message)

        def opened() -> Reply:
            self.batch = BatchOfCars(count, rules, options, self.crowded)
            return text({"type": "batch_result", **self.batch.shape.describe()})

        return when_prepared(rules, opened)

    def _reset_batch(self, message: dict[str, Any]) -> Work:
        if self.batch is None:
            raise BridgeError(NO_BATCH)
        options = message.get("options")
        each = options if isinstance(options, list) else [options]
        if len(each) > self.limits.cars:
            raise BridgeError(f"options must be one object or a list of one per car, not {len(each)}")
        checked = [read_options({"options": item}) for item in each]
        return _binary(self.batch.reset(read_seed(message), checked))

    def _step_batch(self, payload: bytes) -> Work:
        if self.race is not None:
            raise BridgeError(RACE_IS_RUNNING)
        if self.batch is None:
            raise BridgeError(NO_BATCH)
        if not self.batch.running:
            raise BridgeError(BATCH_NOT_RESET)
        return _binary(self.batch.step(payload))

    def _start_race(self, message: dict[str, Any]) -> Reply | Work:
        name = read_choice(message, "name", tuple(sorted(self.drivers)))
        order = RaceOrder(
            rules=read_world(message, observation=self.drivers[name].layout),
            seed=read_seed(message),
            options=read_options(message),
            laps=read_count(message, "laps", 3, most=1000),
            ticks=read_count(message, "ticks", 3600, most=216_000),
            realtime=read_choice(message, "pace", PACES, default="realtime") == "realtime",
        )

        def started() -> Reply:
            self.race = Race(name, self.drivers[name], order)
            return text({"type": "policy_result", "name": name, "trackId": self.race.track_id})

        return when_prepared(order.rules, started)

    def race_frames(self, most: int) -> list[Reply]:
        """The next ticks of the running race, at most so many; the last of a race is its `race_result`."""
        replies: list[Reply] = []
        while self.race is not None and len(replies) < most:
            try:
                replies.append(text(self.race.next_frame()))
            except HotlapError as error:
                replies.append(error_reply(str(error)))
                self.race = None
                break
            if self.race.finished:
                self.race = None
        return replies


def when_prepared(rules: WorldRules, answer: Callable[[], Reply]) -> Reply | Work:
    """The answer, once what the rules need has been compiled and laid out; mostly that is now."""
    waiting = preparing(rules)
    return _after(waiting, answer) if waiting else answer()


def _after(waiting: Sequence[Thread], answer: Callable[[], Reply]) -> Work:
    for thread in waiting:
        while thread.is_alive():
            thread.join(WAIT_S)
            yield
    try:
        return answer()
    except HotlapError as error:
        return error_reply(str(error))


def _binary(making: Generator[None, None, bytes | bytearray]) -> Work:
    """A binary reply in the making; a mistake that is found on the way becomes an error reply."""
    try:
        return Reply((yield from making), binary=True)
    except HotlapError as error:
        return error_reply(str(error))
