"""The counter-based generator: its published answers, its twin, and what a draw depends on."""

import numpy as np
import pytest

from hotlap.philox import philox, uniform

# kat_vectors of Random123, philox4x32 with 10 rounds: counter, key, answer.
KNOWN_ANSWERS = {
    "zeros": ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    "ones": ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    "pi": (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
}


def philox_by_numpy(counter: np.ndarray, key: np.ndarray) -> np.ndarray:
    """The paper's rounds on unsigned words: (n, 4) counters and (n, 2) keys."""
    counter, key = counter.astype(np.uint64), key.astype(np.uint64)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        left, right = np.uint64(0xD2511F53) * counter[:, 0], np.uint64(0xCD9E8D57) * counter[:, 2]
        mixed = [right >> shift ^ counter[:, 1] ^ key[:, 0], right & low]
        mixed += [left >> shift ^ counter[:, 3] ^ key[:, 1], left & low]
        counter = np.stack(mixed, axis=1)
        key = (key + np.array([0x9E3779B9, 0xBB67AE85], np.uint64)) & low
    return counter


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS.values(), ids=KNOWN_ANSWERS)
def test_published_answers_come_out(counter, key, answer):
    assert philox(*counter, *key) == answer


def test_any_counter_and_key_is_as_its_twin_has_it():
    words = np.random.default_rng(0).integers(1 << 32, size=(200, 6), dtype=np.uint64)
    for row, expected in zip(words.tolist(), philox_by_numpy(words[:, :4], words[:, 4:]).tolist(), strict=True):
        assert philox(*row) == tuple(expected)


def test_a_draw_is_53_bits_of_two_words_and_below_one():
    seed, stream, episode = (5 << 32) + 7, 11, 3
    block = np.array([[2, episode, stream, 0]]), np.array([[7, 5]])
    w0, w1, w2, w3 = philox_by_numpy(*block)[0].tolist()
    assert uniform(seed, stream, episode, 4) == ((w0 >> 5 << 26) + (w1 >> 6)) / 2**53
    assert uniform(seed, stream, episode, 5) == ((w2 >> 5 << 26) + (w3 >> 6)) / 2**53


def test_draws_are_spread_evenly_and_differ_with_every_argument():
    draws = np.array([[uniform(1, stream, 1, number) for number in range(64)] for stream in range(64)])
    assert 0.0 <= draws.min() < 0.01
    assert 0.99 < draws.max() < 1.0
    assert abs(draws.mean() - 0.5) < 0.015  # five deviations of the mean of 4,096
    assert len(np.unique(draws)) == draws.size
    assert len({uniform(*each) for each in [(1, 1, 1, 1), (2, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2)]}) == 5
