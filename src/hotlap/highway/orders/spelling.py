"""One slip of the finger: a longer word one letter away from a known one is read as that one."""

from functools import lru_cache

from hotlap.highway.orders.numbers import NUMBER_WORDS, is_number
from hotlap.highway.orders.vocabulary import KNOWN, PLAIN, REAL_WORDS

SHORTEST = 5
TARGETS = tuple(sorted(word for word in {*PLAIN, *NUMBER_WORDS, "please", "slow"} if len(word) >= SHORTEST - 1))


@lru_cache(maxsize=4096)
def corrected(word: str) -> str:
    """The known word that was meant, or the word itself; the first letter is taken to be right."""
    if word in KNOWN or word in REAL_WORDS or is_number(word) or len(word) < SHORTEST - 1:
        return word
    near = [target for target in TARGETS if target[0] == word[0] and one_slip(word, target)]
    return near[0] if near else word


def one_slip(word: str, target: str) -> bool:
    """Whether two letters are swapped or, in longer words, one is missing, added or another."""
    if len(word) == len(target):
        differ = [place for place in range(len(word)) if word[place] != target[place]]
        swapped = len(differ) == 2 and differ[1] == differ[0] + 1
        swapped = swapped and word[differ[0]] == target[differ[1]] and word[differ[1]] == target[differ[0]]
        return swapped or (len(differ) == 1 and len(target) >= SHORTEST)
    shorter, longer = sorted((word, target), key=len)
    if len(longer) != len(shorter) + 1 or len(shorter) < SHORTEST - (word == shorter):
        return False
    return any(longer[:place] + longer[place + 1 :] == shorter for place in range(len(longer)))
