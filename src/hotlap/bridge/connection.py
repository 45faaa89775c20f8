"""One client on a socket: handshake, framing by websockets' protocol without I/O, flow control, and a slow goodbye."""

import asyncio
import logging
import math
import socket
from collections import deque
from typing import TYPE_CHECKING, cast

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from hotlap.bridge.access import SILENT_LOG, Refusal
from hotlap.bridge.messages import BridgeSession, Reply, Work, error_reply
from hotlap.bridge.races import Race
from hotlap.racer.physics import PHYSICS

if TYPE_CHECKING:
    from hotlap.bridge.server import BridgeServer

READ_BYTES = 16_384
WRITE_BUFFER_BYTES = 262_144
SLICE_S = 0.002
RACE_TICKS_AT_ONCE = 16
RACE_TICK_S = PHYSICS.tick_s
RACE_CATCH_UP_S = 0.25
DATA_OPCODES = (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)
INTERNAL_ERROR = "Internal error; the server's log says more"

log = logging.getLogger("hotlap.bridge")


class Connection(asyncio.BufferedProtocol):
    """A socket from accept to end. Small reads and short slices of work keep one client from delaying the others."""

    def __init__(self, server: "BridgeServer") -> None:
        self.server = server
        self.loop = server.loop
        self.wire = ServerProtocol(max_size=server.limits.payload_bytes, logger=SILENT_LOG)
        self.session: BridgeSession | None = None
        self.deadline_s = self.loop.time() + server.limits.handshake_s
        self._transport: asyncio.Transport
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._inbox: deque[bytes] = deque()
        self._job: Work | None = None
        self._fragments = bytearray()
        self._write_paused = self._leaving = self._in_turns = False
        self._next_tick: asyncio.Handle | None = None
        self._tick_due_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected and now has a few seconds for its handshake."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES)
        self.server.unsettle(self)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's hint is larger than is good for others
        """Where the next bytes go."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Bytes have come."""
        if self.session is not None:
            self._expect_more()
        self.wire.receive_data(bytes(self._buffer[:nbytes]))
        for event in self.wire.events_received():
            if isinstance(event, Frame):
                self._collect(event)
            elif isinstance(event, Request):
                self._shake_hands(event)
        self._answer()

    def eof_received(self) -> None:
        """The client will send no more; asyncio closes the socket once everything is written."""
        self.wire.receive_eof()
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whoever ended it, it has ended
        """The socket is gone."""
        self._forget_work()
        self.server.forget(self)

    def pause_writing(self) -> None:
        """The client does not read its replies: nothing more is done for it until it does."""
        self._write_paused = True
        self.deadline_s = self.loop.time() + self.server.limits.stall_s

    def resume_writing(self) -> None:
        """The client has caught up."""
        self._write_paused = False
        self._expect_more()
        self._answer()

    def close(self, code: int, reason: str) -> None:
        """Say goodbye; the client has a moment to answer."""
        if self.wire.state is not State.OPEN:
            return
        self.wire.send_close(code, reason)
        self._send()

    def abort(self) -> None:
        """End it now."""
        self._forget_work()
        self._transport.abort()

    def expire(self) -> None:
        """The deadline has passed: an idle client is sent away, any other is cut off."""
        if self.wire.state is State.OPEN and not self._write_paused:
            self.close(CloseCode.GOING_AWAY, f"Idle for {self.server.limits.idle_s:g} s")
        else:
            self.abort()

    def _expect_more(self) -> None:
        idle_s = self.server.limits.idle_s
        self.deadline_s = self.loop.time() + idle_s if idle_s else math.inf

    def _shake_hands(self, request: Request) -> None:
        if self.wire.eof_sent:  # broken frames came along with the request: not a WebSocket client
            self.abort()
            return
        refusal = self.server.refusal(request.headers)
        response = self.wire.accept(request) if refusal is None else self._reject(refusal)
        self.wire.send_response(response)
        if self.wire.state is State.OPEN:
            self.session = self.server.open_session(self, request.path)
            self._expect_more()

    def _reject(self, refusal: Refusal) -> Response:
        return self.wire.reject(refusal.status, f"Failed to open a WebSocket connection: {refusal.reason}.\n")

    def _collect(self, frame: Frame) -> None:
        """Put fragments together; a whole message goes to the inbox."""
        if frame.opcode not in DATA_OPCODES:
            return
        if frame.fin and not self._fragments:
            self._inbox.append(bytes(frame.data))
            return
        self._fragments += frame.data
        if frame.fin:
            self._inbox.append(bytes(self._fragments))
            self._fragments.clear()

    def _answer(self) -> None:
        """Answer what is cheap at once, for a short while, and the rest when this client's turn comes."""
        self._send()
        if not self._in_turns:
            self._answer_inbox()
            self._in_turns = self._has_work()
            if self._in_turns:
                self.server.turns.join(self)
        self._plan_tick()
        self._read_or_wait()

    def work(self) -> bool:
        """A slice of what takes long; whether there is more of it."""
        if self._has_work():
            if self._job is not None:
                self._advance_job()
            elif self._inbox:
                self._answer_inbox()
            else:
                self._race()
            self._plan_tick()
            self._read_or_wait()
        self._in_turns = self._has_work()
        return self._in_turns

    def _has_work(self) -> bool:
        session = self.session
        if session is None or self._write_paused:
            return False
        fast_race = session.race is not None and not session.race.order.realtime
        return self._job is not None or bool(self._inbox) or fast_race

    def _answer_inbox(self) -> None:
        """Messages in their order, for a short while or until one takes long."""
        end_s = self.loop.time() + SLICE_S
        while self._inbox and self._job is None and self.session is not None and not self._write_paused:
            self._start(self.session)
            if self.loop.time() > end_s:
                break

    def _read_or_wait(self) -> None:
        if self.session is not None and (self._inbox or self._job or self._write_paused):
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _start(self, session: BridgeSession) -> None:
        """Answer the next message, or begin with the work of its answer."""
        try:
            answer = session.start(self._inbox.popleft())
        except Exception:
            log.exception("a message could not be answered")
            answer = error_reply(INTERNAL_ERROR)
        if isinstance(answer, Reply):
            self._reply(answer)
        else:
            self._job = answer

    def _advance_job(self) -> None:
        """A slice of the answer in the making; the last one sends it."""
        job, reply = cast("Work", self._job), None
        try:
            next(job)
        except StopIteration as finished:
            reply = finished.value
        except Exception:
            log.exception("a message could not be answered")
            reply = error_reply(INTERNAL_ERROR)
        if reply is not None:
            self._job = None
            self._reply(reply)

    def _reply(self, reply: Reply) -> None:
        (self.wire.send_binary if reply.binary else self.wire.send_text)(reply.data)
        self._send()

    def _send(self) -> None:
        for data in self.wire.data_to_send():
            if data:
                self._transport.write(data)
            elif self._transport.can_write_eof() and not self._transport.is_closing():
                self._transport.write_eof()
        if self.wire.close_expected():
            self._take_leave()

    def _take_leave(self) -> None:
        """Nothing more is answered; what still comes is read and thrown away, so that our close frame arrives."""
        if not self._leaving:
            self._leaving = True
            self._forget_work()
            self._transport.resume_reading()
            self.deadline_s = self.loop.time() + self.server.limits.linger_s
            self.server.unsettle(self)

    def _forget_work(self) -> None:
        self.session = self._job = None
        self._inbox.clear()
        if self._next_tick is not None:
            self._next_tick.cancel()
            self._next_tick = None

    def _plan_tick(self) -> None:
        """When a race in real time is on and its frames are being read: its next tick, on time."""
        race = self.session.race if self.session is not None else None
        if race is None or not race.order.realtime or self._write_paused or self._next_tick is not None:
            return
        now_s = self.loop.time()
        self._tick_due_s += RACE_TICK_S
        if not now_s - RACE_CATCH_UP_S < self._tick_due_s <= now_s + RACE_TICK_S:
            self._tick_due_s = now_s
        self._next_tick = self.loop.call_at(self._tick_due_s, self._tick)

    def _tick(self) -> None:
        """One tick of a race in real time."""
        self._next_tick = None
        if self.session is not None and self.session.race is not None:
            self._race()
            self._plan_tick()

    def _race(self) -> None:
        """Drive the next ticks of the race and tell about them."""
        session = cast("BridgeSession", self.session)
        race = cast("Race", session.race)
        try:
            frames = session.race_frames(1 if race.order.realtime else RACE_TICKS_AT_ONCE)
        except Exception:
            log.exception("a race could not go on")
            session.race = None
            frames = [error_reply(INTERNAL_ERROR)]
        for frame in frames:
            self._reply(frame)
        self._expect_more()
