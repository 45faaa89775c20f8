"""The few shapes that phrases are made of; a phrase is matched in a line of plain words with single blanks."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

NUMBER = r"-?\d+(?:\.\d+)?"
CAR = "(?:truck|suv|sedan|motorcycle|car)"


def words(text: str) -> frozenset[str]:
    """A set of words, written with blanks between them."""
    return frozenset(text.split())


def one_of(text: str) -> str:
    """One of these words."""
    return f"(?:{'|'.join(text.split())})"


def some(text: str) -> str:
    """Any number of these words, each with a blank before it."""
    return f"(?: {one_of(text)})*"


def up_to(count: int) -> str:
    """As many words as that, whatever they are, but as few as will do."""
    return rf"(?: \w+){{0,{count}}}?"


def phrase(*alternatives: str) -> re.Pattern[str]:
    """A pattern for any of the alternatives, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


THEM = (
    rf"(?:{one_of('the this that these those a any all my our your')}(?: (?!lane)\w+){{0,2}}? {CAR}"
    rf"|{CAR}|{one_of('him her it them us me')})"
)
"""Somebody else on the road."""


@cache
def _phrases() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8"))


def spelt_out(pattern: str) -> str:
    """A pattern of `phrases.toml` as a regular expression: names, [[one of these words]], {any 3}."""
    names = {**_phrases()["names"], "car": CAR, "them": THEM, "number": NUMBER}
    while (longer := re.sub(r"\{([a-z_]+)\}", lambda match: names[match[1]], pattern)) != pattern:
        pattern = longer
    pattern = re.sub(r"\[\[([^]]+)\]\]\*", lambda match: some(match[1]), pattern)
    pattern = re.sub(r"\[\[([^]]+)\]\]", lambda match: one_of(match[1]), pattern)
    return re.sub(r"\{any (\d)\}", lambda match: up_to(int(match[1])), pattern)


@cache
def idioms() -> list[tuple[re.Pattern[str], str]]:
    """Every turn of phrase with what it is read as, in the order they are read."""
    return [(phrase(spelt_out(pattern)), plain) for pattern, plain in _phrases()["idioms"]]


@cache
def refusal_phrases(kind: str) -> list[tuple[re.Pattern[str], str]]:
    """What is never done, or not supported, with the reason."""
    reasons: dict[str, list[str]] = _phrases()[kind]
    return [(phrase(*map(spelt_out, patterns)), reason) for reason, patterns in reasons.items()]
