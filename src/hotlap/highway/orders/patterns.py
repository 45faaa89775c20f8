"""The few shapes that phrases are made of; a phrase is matched in a line of plain words with single blanks."""

import re

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
