"""Random numbers without memory: Philox-4x32-10, a keyed shuffle of a counter (Salmon et al., SC 2011).

A draw is a function of (seed, stream, episode, number), so cores, a GPU and a page draw the same ones in any order.
Words of 32 bits in 64-bit arithmetic: a product that wraps around keeps the bits that are used, in every machine.
"""

from hotlap.kernel import kernel

ROUNDS = 10
WORD = 0xFFFFFFFF
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
HIGH_WORD, WHOLE = 67_108_864.0, 9_007_199_254_740_992.0
"""2^26 and 2^53: a uniform number has 27 bits of one word above 26 bits of another."""


@kernel
def philox(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> tuple[int, int, int, int]:
    """Four words for a counter of four words and a key of two."""
    for _ in range(ROUNDS):
        first, second = MULTIPLIERS[0] * c0, MULTIPLIERS[1] * c2
        c0, c1 = ((second >> 32) & WORD) ^ c1 ^ k0, second & WORD
        c2, c3 = ((first >> 32) & WORD) ^ c3 ^ k1, first & WORD
        k0, k1 = (k0 + KEY_STEPS[0]) & WORD, (k1 + KEY_STEPS[1]) & WORD
    return c0, c1, c2, c3


@kernel
def uniform(seed: int, stream: int, episode: int, number: int) -> float:
    """The draw with a number, in [0, 1)."""
    w0, w1, w2, w3 = philox(
        number >> 1, episode & WORD, stream & WORD, (stream >> 32) & WORD, seed & WORD, (seed >> 32) & WORD
    )
    high, low = (w2, w3) if number & 1 else (w0, w1)
    return ((high >> 5) * HIGH_WORD + (low >> 6)) / WHOLE
