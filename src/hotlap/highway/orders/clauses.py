"""Which words of a line are orders: politeness, corrections, remarks and what is not to be done are set apart."""

import re
from dataclasses import dataclass

from hotlap.highway.orders.patterns import CAR, one_of, phrase, some, words

VERBS = words(
    "move go get take put come return pull drive cruise do set bring faster slower brake increase reduce keep hold "
    "stay continue overtake match follow stop halt pullover cancel leave make gapmore gapless"
)
CONNECTORS = words("and but then just instead only rather so because")
NEGATIONS = words("not avoid refrain forbid forbidden prohibit prohibited refuse against")
NO_NOUN = phrase(f"no(?: more)?(?= (?:need to|{one_of('lane faster slower')}))")
DOES = one_of(
    "is are was were has have had keep want wants look looks seem seems will go just drive needs tries stop might says "
    "said told thinks likes move overtake cruise did"
)
LANE = one_of("left right leftmost rightmost middle next first second third this")
WHERE = some("ahead behind beside next to on in the left right lane me us of")
OURS = one_of(
    "the our a an speed gap limit target lane left right cruise mission what that this it he she they you we i"
)
OTHERS = re.compile(
    rf"^(?:{one_of('the this that these those a my our some another')}(?: \w+){{0,3}}? {CAR}{WHERE}? {DOES}"
    rf"|my (?!{one_of('lane speed gap left right own')})\w+ {DOES}"
    rf"|(?:the |this |that |our )?{LANE}(?: lane| side)? {one_of('is was looks seems has')}"
    rf"|{one_of('overtake move stop turn merge')}(?: \w+){{0,3}}? {one_of('is was would seems looks')}"
    rf"|{one_of('he she they someone somebody everyone everybody nobody people there yesterday')}(?: \w+)?"
    rf"|(?:i|we|you) {one_of('am are was were have had did love hate feel see hear')}|(?:it|this|that) (?:is|was)"
    r"|(?:i|we) do not (?:feel|like|know)"
    rf"|(?:{one_of('the our a an')} )?(?!{OURS}\b)\w+ (?:is|are|was|were)"
    rf"|(?:i|we|you) {one_of('should could would must might')} have)\b"
)
OWN = words(
    "to be not about and just now always say said says ask asked mean meant tell told think thought have called named"
)
"""After these a verb still belongs to the remark."""
COMPLAINT = re.compile(
    r"^(?:you|we|i|it|this|that)(?: are| am| is)?(?: \w+){0,2}? (?:toofast|tooslow|gapmore|gapless)\b"
)


@dataclass(frozen=True)
class Clauses:
    """A line taken apart."""

    orders: str
    """What to do."""
    forbidden: str
    """What not to do."""
    remark: bool
    """Whether it begins with a remark."""


def taken_apart(line: str) -> Clauses:
    """The line's orders, what it says not to do, and whether it begins with a remark."""
    remark = bool(OTHERS.match(line)) and not COMPLAINT.match(line)
    orders, forbidden = _without_negations((_after_remark(line) if remark else line).split())
    return Clauses(orders, forbidden, remark)


def _after_remark(line: str) -> str:
    """What follows a remark: from the first verb that is not the remark's own."""
    match = OTHERS.match(line)
    said = line[match.end() if match else 0 :].split()
    for place in range(1, len(said)):
        own = said[place - 1] in OWN or _goes_on(said[place - 1], said[place])
        if said[place] in VERBS and not own:
            return " ".join(said[place:])
    return ""


def _goes_on(before: str, verb: str) -> bool:
    """Whether a verb belongs to the one before it: "go faster", "overtake or move"."""
    return before in ("or", "nor", "to") or (verb in ("faster", "slower") and before in ("go", "drive", "get", "do"))


def _without_negations(said: list[str]) -> tuple[str, str]:
    """The words without what "not" forbids, and that: up to a connector or to the next verb but one."""
    said = NO_NOUN.sub("not", " ".join(said)).split()
    kept: list[str] = []
    dropped: list[str] = []
    verbs_seen = -1  # -1 outside a negation, else how many verbs it has
    for place, word in enumerate(said):
        if word in NEGATIONS:
            verbs_seen = 0
            kept = kept[:-1] if kept and kept[-1] in ("do", "will", "should", "please", "can") else kept
        elif verbs_seen > 0 and (word in CONNECTORS or (word in VERBS and not _goes_on(said[place - 1], word))):
            verbs_seen = -1
        elif verbs_seen >= 0 and word in VERBS:
            verbs_seen += 1
        (kept if verbs_seen < 0 else dropped).append(word)
    while kept and kept[-1] in CONNECTORS:
        kept.pop()
    return " ".join(kept), " ".join(dropped)


CALLS = one_of(
    "hey hi hello ok okay so well um uh er erm hmm like please now and then but yes yeah yep alright sorry listen "
    "computer car robot autopilot assistant kindly just maybe perhaps quickly buddy mate man dear good great thanks "
    "actually also next instead oh ah"
)
WISHES = one_of("like love want need wish prefer have got order command")
BE_KIND = some("please kindly maybe perhaps just possibly also not quickly like")
SHOULD = "(?:should|must|need to|have to|can|could|might|ought to|better|had better|may)(?! (?:have|had|be)\\b)"
"""Not what somebody should have done: that is over."""
WONDER = "(?:was (?:hoping|wondering|thinking)|wonder|think|guess|suppose|hope|say|said|mean|meant)"
REQUESTS = [
    f"look(?! {one_of('left right to at out in over behind up down ahead for')})",
    f"(?:can|could|would|will)(?: not)? (?:you|we|u){BE_KIND}(?: (?:mind|be able to|be so kind as to|try to))?",
    f"(?:you|we) {SHOULD}{some('please now probably just want to')}",
    "do you mind",
    "i(?: would| do)?(?: really)? appreciate it if (?:you|we)(?: could| would)?",
    f"right(?= {one_of('let can could would i we you so then ok okay')} )",
    f"do you think(?: that)? (?:you|we){some('can could should might')}",
    f"any chance{some('you we of to can could')}",
    rf"(?:i|we){some('would will really just do also')} {WISHES}{some('you us it for')}(?: to)?(?: be)?(?= \w)",
    f"i {WONDER}{some('if that of we you can could should might would better')}",
    "(?:how|what) about(?: (?:we|you|if we|if you))?",
    "why (?:(?:do|can|could) )?not(?: (?:you|we))?",
    f"let (?:us|me){some('please just all')}",
    f"it (?:would|might) be {one_of('nice good great better cool')} (?:if (?:you|we)(?: could| can)?|to)",
    "would it be (?:allowed|ok|okay) (?:to|for you to|if (?:you|we)(?: could)?)",
    "(?:it is )?time to|thank you|feel free to|go ahead(?: and)?|try (?:to|and)|start|begin|get ready to|remember to",
    "make sure (?:to|(?:that )?(?:you|we))|be so kind (?:as )?(?:to|and)|your (?:mission|task|job) is to",
]
NO_MORE = one_of("need lane more faster slower turn way rush hurry limit")
OPENING = re.compile(rf"^(?:{CALLS}|no(?! {NO_MORE})|{'|'.join(REQUESTS)})\b ?")
CORRECTION = re.compile(
    r"\b(?:no wait|wait no|wait|no sorry|sorry|actually|i mean|i meant|correction|scratch that|on second thought"
    r"|make that|or rather|oops|whoops|no no|no)\b"
)


def without_manners(line: str) -> str:
    """The line without the polite words it begins with."""
    while (shorter := OPENING.sub("", line, count=1)) != line:
        line = shorter
    return line


def corrected_parts(line: str) -> list[str]:
    """What is to be tried, the last correction first: "move left no wait right" is "right", then all of it."""
    parts = [line]
    for match in CORRECTION.finditer(line):
        rest = line[match.end() :].strip()
        if match.start() > 0 and rest and not (match[0] == "no" and re.match(rf"{NO_MORE}\b", rest)):
            parts.insert(0, rest)
    return parts
