"""From what was typed or heard to plain words: lower case, digits for numbers, one word for each idea."""

import re
import unicodedata

from hotlap.highway.orders.idioms import IDIOMS
from hotlap.highway.orders.numbers import in_digits
from hotlap.highway.orders.spelling import corrected
from hotlap.highway.orders.vocabulary import PLAIN

# Written forms that would fall apart when punctuation goes.
WRITTEN = [
    (re.compile(r"\bwe['’]re\b"), "we are"),
    (re.compile(r"['’\u2018`\u00b4]"), ""),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"(?<=\d)(st|nd|rd|th)\b"), " th "),
    (re.compile(r"(?<=\d)e[+]?\d+\b"), "00000 "),  # 1e9 is beyond all limits, like any number that long
    (re.compile(r"(?<=\d)(?=[a-z])"), " "),
    (re.compile(r"\bkm\s*/\s*h(r|our)?\b"), " kmh "),
    (re.compile(r"\bm\s*/\s*s(ec|econd)?\b"), " mps "),
    (re.compile(r"\bmi\s*/\s*h(r|our)?\b"), " mph "),
    (re.compile(r"\bu[\s-]*(turn\w*|ie)\b"), " uturn "),
    (re.compile(r"\b18[\s-]wheeler\b"), " truck "),
    (re.compile(r"(?<![\w.-])[-−](?=\d)"), " minus "),
]
# What only the ending of a verb tells: "no passing" forbids, "stop passing" calls off, "stop moving" is a stop.
QUIT = "(?:stop|quit|cease)"
STAND = "(?:moving|driving|going|rolling)(?! (?:so|too|any|left|right|over|to|in))"
WHERE_TO = "(?: (?:to|the|in|into|on|over|left|right|lanes?|up|down|away|back))*"
HARSH = "(?:hard|harsh|sudden|sharp|quick|late|reckless|unnecessary)"
DID = (
    "(?:moved|changed(?! my mind)|switched|merged|shifted|passed|stopped|slowed|overtook|parked|accelerated|braked"
    "|swerved|drifted|crossed|missed|forgot|went|drove|sped|pulled|returned)"
)
ENDINGS = [
    (re.compile(rf"(?<!if )\b(i|we|you|he|she|they|ahead|behind)(?: (?:just|already|never|also))? {DID}\b"), r"\1 did"),
    (re.compile(rf"\b(?:traffic|everyone|everybody|someone|people|cars|trucks)(?: ahead| behind)? {DID}\b"), "he did"),
    (re.compile(rf"\b{QUIT} (?:(?:following|driving|going|getting|being) so clos\w+|tailgating\b)"), "too close"),
    (re.compile(rf"\b{QUIT} (?:driving|going) so (fast|slow)\w*"), r"too \1"),
    (re.compile(rf"\bno (?:more )?(?={HARSH}? ?[a-z]+ing\b)"), "not "),
    (re.compile(rf"\b{QUIT} (?!{STAND}\b)[a-z]+ing\b{WHERE_TO}"), "cancel that"),
]
WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")


def plain_words(text: str) -> str:
    """The text in plain words, with single blanks between them."""
    words = [PLAIN.get(word, word) for word in in_digits([corrected(word) for word in split(text)])]
    line = " ".join(words)
    for pattern, plain in IDIOMS:
        line = " ".join(pattern.sub(plain, line).split())
    return line


def split(text: str) -> list[str]:
    """The words of a text in lower case; punctuation goes, except where it is part of a number or unit."""
    line = unicodedata.normalize("NFKC", text).casefold()
    for pattern, written in WRITTEN:
        line = pattern.sub(written, line)
    line = " ".join(CONTRACTIONS.get(word, word) for word in WORD.findall(line))
    for pattern, meant in ENDINGS:
        line = pattern.sub(meant, line)
    return line.split()


AUXILIARIES = "do does did is are was were should would could must need have has had"
CONTRACTIONS = {
    "lets": "let us",
    "id": "i would",
    "im": "i am",
    "ill": "i will",
    "youre": "you are",
    "its": "it is",
    "hes": "he is",
    "shes": "she is",
    "theyre": "they are",
    "thats": "that is",
    "theres": "there is",
    "whats": "what is",
    "hows": "how is",
    "wheres": "where is",
    "whos": "who is",
    **{f"{verb}nt": f"{verb} not" for verb in AUXILIARIES.split()},
    "wont": "will not",
    "cant": "can not",
    "cannot": "can not",
    "wanna": "want to",
    "gonna": "going to",
    "gotta": "got to",
    "gimme": "give me",
    "nevermind": "never mind",
    "onto": "on to",
    "yourself": "you",
    "fwy": "freeway",
}
