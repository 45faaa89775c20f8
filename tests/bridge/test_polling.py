"""Looking before sleeping: it gives up where it does not pay, and deadlines hold either way."""

import itertools
import socket
import threading
import time

import pytest

from hotlap.bridge.polling import CoreWatch, Patience, PollingSelector, PollingSocket


@pytest.fixture(autouse=True)
def pushed(monkeypatch):
    """How often this thread was pushed aside, as the test says; and nobody has looked before."""
    times = [0]
    monkeypatch.setattr("hotlap.bridge.polling.times_pushed_aside", lambda: times[0])
    monkeypatch.setattr("hotlap.bridge.polling.core_of_this_thread", CoreWatch())
    return times


def test_patience_looks_while_it_is_rewarded():
    patience = Patience(1.0)
    for _ in range(5):
        assert patience.look_s() == 1.0
        patience.rewarded()


def test_patience_looks_ever_more_rarely_when_it_is_in_vain():
    patience = Patience(1.0)
    looks = []
    for k in range(300):
        if patience.look_s():
            looks.append(k)
            patience.in_vain()
    gaps = [later - earlier for earlier, later in itertools.pairwise(looks)]
    assert gaps[:6] == [2, 4, 8, 16, 32, 64]
    assert max(gaps) == 64


def test_patience_comes_back_with_a_reward():
    patience = Patience(1.0)
    for _ in range(4):
        patience.in_vain()
    while not patience.look_s():
        pass
    patience.rewarded()
    assert patience.look_s() == 1.0


@pytest.fixture
def pair():
    """A socket of ours and the other end."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = PollingSocket(*listener.getsockname(), 5.0)
        theirs, _ = listener.accept()
        with theirs:
            yield ours, theirs
        ours.close()


def soon(seconds: float = 5.0) -> float:
    return time.monotonic() + seconds


def test_bytes_come_through_whether_they_are_there_or_late(pair):
    ours, theirs = pair
    theirs.sendall(b"now")
    assert ours.receive(soon()) == b"now"
    timer = threading.Timer(0.05, theirs.sendall, (b"later",))
    timer.start()
    assert ours.receive(soon()) == b"later"
    timer.join()


def test_the_end_of_the_other_side_is_no_bytes(pair):
    ours, theirs = pair
    theirs.shutdown(socket.SHUT_WR)
    assert ours.receive(soon()) == b""


def test_silence_times_out(pair):
    ours, _ = pair
    with pytest.raises(TimeoutError):
        ours.receive(soon(0.05))


def test_more_than_the_socket_takes_is_sent_in_parts(pair):
    ours, theirs = pair
    data = bytes(range(256)) * 65_536
    read = bytearray()

    def drain() -> None:
        while len(read) < len(data):
            read.extend(theirs.recv(1_000_000))

    thread = threading.Thread(target=drain)
    thread.start()
    ours.send_all(data, soon(20))
    thread.join(60)
    assert read == data


def test_sending_to_somebody_who_does_not_read_times_out(pair):
    ours, _ = pair
    with pytest.raises(TimeoutError):
        ours.send_all(bytes(64_000_000), soon(0.1))


def test_selector_reports_what_any_selector_does():
    one, two = socket.socketpair()
    with PollingSelector(0.001) as selector, one, two:
        selector.register(one, 1)
        assert selector.select(0) == []
        two.send(b"x")
        assert [key.fileobj for key, _ in selector.select(1.0)] == [one]
        assert [key.fileobj for key, _ in selector.select(1.0)] == [one]
        one.recv(1)
        assert selector.select(0.01) == []


def test_patience_stops_looking_ever_longer_where_others_need_the_core(pushed):
    patience = Patience(1.0)
    looks = []
    for k in range(20_000):
        pushed[0] += 1
        if patience.look_s():
            looks.append(k)
    gaps = [later - earlier - 1 for earlier, later in itertools.pairwise(looks) if later - earlier > 1]
    assert looks[:63] == list(range(63))
    assert gaps == [65, 129, 257, 513, 1025, 2049, 4097, 4097, 4097]


def test_patience_goes_on_looking_where_nobody_needs_the_core(pushed):
    patience = Patience(1.0)
    assert all(patience.look_s() for _ in range(1000))


def test_patience_tries_again_after_a_pause_whatever_happened_in_it(pushed):
    """Pushed aside a thousand times while it slept, and never since: the machine is quiet again."""
    patience = Patience(1.0)
    for _ in range(63):
        patience.look_s()
    pushed[0] = 50
    assert patience.look_s() == 0.0
    pushed[0] = 1050
    while not patience.look_s():
        pass
    assert all(patience.look_s() for _ in range(500))


def pause_after(watch: CoreWatch, pushed: list[int], times: int) -> int:
    """How many looks are refused after so many pushes within one check; 0 where the next is allowed."""
    for _ in range(63):
        assert watch.allows_a_look()
    pushed[0] += times
    refused = 0
    while not watch.allows_a_look():
        refused += 1
    for _ in range(63 if refused else 0):  # up to the next check, which finds nothing
        assert watch.allows_a_look()
    return refused


def test_the_next_pause_after_a_quiet_time_is_short_again(pushed):
    watch = CoreWatch()
    assert [pause_after(watch, pushed, times) for times in (8, 9, 8, 50)] == [0, 65, 0, 65]


def test_all_who_look_from_one_thread_pause_together_and_other_threads_do_not(pushed):
    one, two, elsewhere = Patience(1.0), Patience(1.0), []
    for _ in range(63):
        one.look_s()
    pushed[0] = 50
    assert (one.look_s(), two.look_s()) == (0.0, 0.0)
    thread = threading.Thread(target=lambda: elsewhere.append(two.look_s()))
    thread.start()
    thread.join()
    assert elsewhere == [1.0]
