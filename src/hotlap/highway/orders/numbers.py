"""Numbers in words: "sixty five", "five five", "one ten", "fifty-five point five", "one and a half"."""

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
ONES = {word: value for value, word in enumerate(_ONES.split())}
TENS = {word: 20 + 10 * place for place, word in enumerate(_TENS.split())}
SCALES = {"hundred": 100, "thousand": 1000}
NUMBER_WORDS = frozenset({*ONES, *TENS, *SCALES, "point", "half", "minus", "negative"})
POINTING = frozenset({"this", "that", "the", "slow", "big", "next", "which", "every"})
LARGEST = 99_999.0


def in_digits(words: list[str]) -> list[str]:
    """The words with every number in digits; "that one" stays a word."""
    out: list[str] = []
    place = 0
    while place < len(words):
        value, length = _number_at(words, place)
        if value is None:
            out.append(words[place])
            place += 1
        else:
            out.append(_digits(value))
            place += length
    return out


def _digits(value: float) -> str:
    """A number as the grammar reads it: no exponent, no more than it can use."""
    bounded = max(-LARGEST, min(LARGEST, value))
    return f"{round(bounded, 3):.10g}"


def _number_at(words: list[str], place: int) -> tuple[float | None, int]:
    """The number that starts here and how many words it takes; (None, 0) where none does."""
    if words[place] in ("minus", "negative") and place + 1 < len(words):
        value, length = _number_at(words, place + 1)
        return (None, 0) if value is None else (-abs(value), length + 1)
    if words[place] == "one" and place > 0 and words[place - 1] in POINTING:
        return None, 0
    if words[place] == "half" and words[place + 1 : place + 2] in (["a"], ["second"]):
        return 0.5, 2 if words[place + 1] == "a" else 1
    if words[place : place + 2] == ["a", "couple"]:
        return 2.0, 3 if words[place + 2 : place + 3] == ["of"] else 2
    value, length = _whole_at(words, place)
    return (None, 0) if value is None else _with_fraction(words, place, value, length)


def _whole_at(words: list[str], place: int) -> tuple[float | None, int]:
    """A number without its fraction: in digits, digit by digit, or as it is spelt out."""
    if is_number(words[place]):
        return float(words[place]), 1
    if words[place] == "a" and words[place + 1 : place + 2] == ["hundred"]:
        value, length = _after_hundred(words, place + 2, 100)
        return value, length + 2
    digits = _spoken_digits(words, place)
    if len(digits) > 1:
        return float("".join(digits)), len(digits)
    return _spelt(words, place)


def _spoken_digits(words: list[str], place: int) -> list[str]:
    """The run of single digits that starts here: "six five"."""
    digits = []
    while place < len(words) and ONES.get(words[place], 10) < 10:
        digits.append(str(ONES[words[place]]))
        place += 1
    return digits


def _spelt(words: list[str], place: int) -> tuple[float | None, int]:
    """As in "sixty five", "one hundred and ten", "one ten", "two thousand"."""
    value, length = _below_hundred(words, place)
    if value is None:
        return None, 0
    following = words[place + length] if place + length < len(words) else ""
    if following in SCALES:
        rest, more = _after_hundred(words, place + length + 1, value * SCALES[following])
        return rest, length + 1 + more
    if 1 <= value <= 9 and (following in TENS or ONES.get(following, 0) >= 10):
        rest, more = _after_hundred(words, place + length, value * 100)
        return rest, length + more
    return value, length


def _below_hundred(words: list[str], place: int) -> tuple[float | None, int]:
    word = words[place] if place < len(words) else ""
    if word in TENS:
        one = ONES.get(words[place + 1], 0) if place + 1 < len(words) else 0
        return (TENS[word] + one, 2) if 1 <= one <= 9 else (TENS[word], 1)
    return (ONES[word], 1) if word in ONES else (None, 0)


def _after_hundred(words: list[str], place: int, value: float) -> tuple[float, int]:
    """What follows a hundred or thousand: "and ten", "ten", nothing."""
    skip = 1 if words[place : place + 1] == ["and"] else 0
    rest, length = _below_hundred(words, place + skip)
    return (value, 0) if rest is None else (value + rest, length + skip)


def _with_fraction(words: list[str], place: int, value: float, length: int) -> tuple[float, int]:
    """The number with "point five" or "and a half" after it."""
    rest = words[place + length :]
    if rest[:3] == ["and", "a", "half"]:
        return value + 0.5, length + 3
    digits = _spoken_digits(rest, 1) if rest[:1] == ["point"] else []
    if digits and value == int(value):
        return value + float("0." + "".join(digits)), length + 1 + len(digits)
    return value, length


def is_number(word: str) -> bool:
    """Whether a word is a number in ASCII digits."""
    return word.lstrip("-").replace(".", "", 1).isascii() and word.lstrip("-").replace(".", "", 1).isdigit()
