"""How people begin and correct themselves: politeness goes, and after "no wait" only the rest counts."""

import re

from hotlap.highway.orders.patterns import one_of, some

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
