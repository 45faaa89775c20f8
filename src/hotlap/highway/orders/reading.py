"""From what was typed or heard to plain words: lower case, digits for numbers, slips mended, one word for an idea."""

import re
import unicodedata
from functools import lru_cache

from hotlap.highway.orders.numbers import NUMBER_WORDS, in_digits, is_number
from hotlap.highway.orders.patterns import idioms
from hotlap.highway.orders.vocabulary import KNOWN, PLAIN, REAL_WORDS

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
    (re.compile(r"%"), " percent "),
    (re.compile(r"[+](?=\d)"), " plus "),
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
    "|increased|decreased|reduced|swerved|drifted|crossed|missed|forgot|went|drove|sped|pulled|returned)"
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
    for pattern, plain in idioms():
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
