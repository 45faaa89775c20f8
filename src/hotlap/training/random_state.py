"""The random state of everything that is drawn from in a training, as plain arrays; hostile ones are refused."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]
TWISTER_WORDS = 624
LOW_WORD = 2**64 - 1


def global_random_state() -> Tensors:
    """The random state of torch, numpy and Python."""
    _, keys, place, has_gauss, cached = np.random.get_state()  # noqa: NPY002 - SB3 draws from the global one
    _, words, gauss_next = random.getstate()
    return {
        "torch": torch.get_rng_state().numpy().copy(),
        "numpy_keys": np.array(keys, np.uint32),
        "numpy_place": np.array([place, has_gauss], np.int64),
        "numpy_cached": np.array([cached], np.float64),
        "python_words": np.array(words, np.uint32),
        "python_gauss": np.array([] if gauss_next is None else [gauss_next], np.float64),
    }


def restore_global_random_state(state: Mapping[str, NDArray[Any]]) -> None:
    """Put the random state of torch, numpy and Python back."""
    keys, (place, has_gauss) = state["numpy_keys"], (int(number) for number in state["numpy_place"])
    # numpy itself would take any place, and read its next number from there.
    if keys.shape != (TWISTER_WORDS,) or keys.dtype != np.uint32 or not 0 <= place <= TWISTER_WORDS:
        raise ValueError("numpy's random state is none")
    np.random.set_state(("MT19937", keys, place, has_gauss, float(state["numpy_cached"][0])))  # noqa: NPY002
    gauss = state["python_gauss"]
    random.setstate((3, tuple(map(int, state["python_words"])), float(gauss[0]) if len(gauss) else None))
    torch.set_rng_state(torch.from_numpy(np.array(state["torch"], np.uint8)))


def packed(generators: Sequence[np.random.Generator]) -> NDArray[np.uint64]:
    """PCG64 generators as six words each."""
    return np.array([_words(generator.bit_generator.state) for generator in generators], np.uint64)


def _words(state: Any) -> list[int]:
    number, step = state["state"]["state"], state["state"]["inc"]
    return [number >> 64, number & LOW_WORD, step >> 64, step & LOW_WORD, state["has_uint32"], state["uinteger"]]


def unpacked(rows: NDArray[Any]) -> list[np.random.Generator]:
    """The generators again."""
    return [_generator([int(word) for word in row]) for row in rows]


def _generator(words: list[int]) -> np.random.Generator:
    high, low, step_high, step_low, has_uint32, uinteger = words
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": (high << 64) | low, "inc": (step_high << 64) | step_low},
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }
    return np.random.Generator(bits)
