"""Turns of phrase, each with the plain words it stands for; they are read in this order."""

from hotlap.highway.orders.patterns import CAR, THEM, one_of, phrase, some, up_to

SIDE = "(left|right)"
SAFE = one_of("safe clear allowed able free can could ready convenient chance opportunity opening gap permits allows")
HARD = one_of("slam hit stomp jam stand hard emergency full panic smash")
MORE = one_of("some more increase extra further")
ADJUST = one_of("take bring knock turn crank dial kick increase reduce push dial")
ANY_WAY = one_of(
    "get go move drive come pull cruise be zip blow take squeeze speed edge power bring put make work find zoom fly "
    "sail breeze whizz nip"
)
WHAT_NOT_TO = one_of("move overtake return come stop go get pull speed slow slower faster brake increase reduce")
NAMED = one_of("left right leftmost rightmost middle first second third fourth fifth fast slow")
ORDER = one_of("order command mission request instruction")
PER = one_of("per an a each")

UNITS = [
    (phrase(f"mile {PER} hour"), "mph"),
    (phrase(f"kilometer {PER} hour"), "kmh"),
    (phrase(f"meter {PER} second"), "mps"),
    (phrase(f"{CAR} length"), "length"),
]
# "When it is clear" asks for what the car does anyway.
CONDITIONS = [
    (phrase(rf"(?:only )?(?:if|when|whenever|once|as soon as|provided){up_to(4)} {SAFE}{some('to do so it')}"), ""),
]
LANES = [
    (phrase("all right(?! lane| side)", "^right (?:on|then|you are)$"), "okay"),
    (phrase("right(?= (?:down|up|off|past|behind|through)\\b)"), ""),  # "slow right down"
    (phrase(f"too far{some('over to the')} {SIDE}"), "fine"),
    (
        phrase(
            f"(?:signal|indicate){some('to the')} {SIDE}",
            f"{SIDE} {one_of('signal indicator blinker blinkers mirror')}",
        ),
        "blinker",
    ),
    (phrase(f"middle {one_of('of in you us it')}{some('in of')} {one_of('the this my your our')} lane"), "lane"),
    (phrase(r"(?<=\d )(second|minute|hour|mile|kilometer) left(?! lane)"), r"\1 remaining"),
    (phrase("(?:anywhere|anything|everything|any lane) (?:but|except)"), "avoid"),
    (phrase(rf"leave(?= (?:the |this |that )?{NAMED} lane| lane \d)"), "avoid"),
    (phrase(f"{one_of('fast faster overtake hammer quick carpool hov')} {one_of('lane side')}"), "leftmost lane"),
    (phrase(f"{one_of('slow slower exit truck granny curb kerb shoulder')} {one_of('lane side')}"), "rightmost lane"),
    (
        phrase(
            f"(?:all the way|{one_of('far furthest farthest extreme very way completely fully')})"
            f"{some('over to on the hand')} {SIDE}{some('hand side end')}"
        ),
        r"\1most",
    ),
    (phrase(f"as far{some('to the over')} {SIDE}{up_to(3)} as{up_to(2)} {one_of('allowed can goes go')}"), r"\1most"),
    (phrase(f"{SIDE} most"), r"\1most"),
    (phrase(f"{SIDE} hand"), r"\1"),
    (
        phrase(f"{one_of('next adjacent neighbouring neighboring')} lane{some('over to on the my your')} {SIDE}"),
        r"1 lane \1",
    ),
    (phrase("(?:1 more|another|a|1 further) lane(?! move)"), "1 lane"),
    (
        phrase(
            "(?:(?:get|move) (?:out of|off|from)|out of) (?:this|the|my|our|your) lane",
            "leave (?:this|the|my|our|your) lane",
        ),
        "move lane",
    ),
    (phrase(f"{SIDE}(?: lane)? (?:twice|2 times)"), r"2 lane \1"),
]
OVERTAKING = [
    (
        phrase("(?:under|in) no circumstances?", "on no account", "no (?:reason|point|need)(?: to| in)", "by no means"),
        "not",
    ),
    (
        phrase("(?:stay|keep|get|move|come|pull) (?:out of|off|away from|clear of)(?= the (?!cruise)| any| lane)"),
        "avoid",
    ),
    (phrase("instead of", "rather than", f"without(?= {WHAT_NOT_TO})"), "not"),
    (phrase("by (?:move|go|take|get)"), "via"),
    (
        phrase(
            f"{one_of('once when after')}{some('you we it are is that have been him the this')}"
            f" {one_of('past overtake done finished through')}{some('him her it them that this')}"
        ),
        "then",
    ),
    (phrase("after (?:that|this|which)"), "then"),
    (phrase("over (?:take|taking)"), "overtake"),
    (phrase("undertake"), "overtake on the right"),
    (phrase("in front", "out in front", "out ahead"), "ahead"),
    (phrase("ahead of (?:me|us|you)"), "ahead"),
    (
        phrase(
            f"{ANY_WAY}{some('us me out right on your our my way')} (?:past|by|around|round|ahead of|ahead)(?= {THEM})"
        ),
        "overtake",
    ),
    (phrase(f"{SIDE}(?: and)? (?:around|past|by)(?= {THEM})"), r"\1 overtake"),
    (phrase(f"leave {THEM} behind", "get ahead", "(?:get|go|drive|move) (?:past|by|around)$"), "overtake"),
]
SPEEDS = [
    (
        phrase(f"{one_of('speed legal allowed')} limit", f"{one_of('limit top full allowed')} speed", "limit allowed"),
        "limit",
    ),
    (
        phrase(
            f"as {one_of('fast quick quickly')} as{up_to(3)} {one_of('allowed can limit law')}{some('here allowed')}"
        ),
        "at limit",
    ),
    (
        phrase(
            r"(?:not|no) (?:faster|more|over) than(?= \d)",
            r"(?<!do )(?:not|no) over(?= \d)",
            r"at most(?= \d)",
            rf"(?:at )?limit{some('of you it us the your our my speed to at')}(?= \d)",
        ),
        "at",
    ),
    (phrase("too fast", "too quick"), "toofast"),
    (phrase("too slow", "not fast enough"), "tooslow"),
    (phrase("(?:slow|fast|quick|close|far) enough"), "fine"),
    (phrase("a brake(?! check)"), "a pause"),
    (phrase("(?:not so|less|reduce) (?:fast|quick)", "not (?:go|drive) (?:so|that|this) (?:fast|quick)"), "slower"),
    (phrase("(?:not so|less|reduce) slow"), "faster"),
    (phrase(rf"slow(?= (?:\w+ )?{CAR}\b)"), ""),
    (phrase(rf"{one_of('speed pick step go hurry faster')}{some('it things us')} up(?: the speed)?"), "faster"),
    (phrase("(?:step|get) on it", "(?:step on|hit|more|give it(?: some| more)?)(?: the)? gas", "more speed"), "faster"),
    (phrase("(?:go|drive) (?:fast|quick|quickly)"), "faster"),
    (phrase("(?:go|drive) slowly"), "slower"),
    (phrase(rf"{ADJUST} (?:it|things|speed) up(?! to| \d)"), "faster"),
    (phrase(rf"{ADJUST} (?:it|things|speed) down(?! to| \d)"), "slower"),
    (phrase(f"{HARD}{some('on the your')} brake{some('hard')}"), "stop"),
    (phrase(f"brake {one_of('hard fully immediately now')}"), "stop"),
    (
        phrase(f"(?:slow|slower|brake(?! check| the limit| the law)){some('it things us speed')}(?: (?:down|up|off))?"),
        "slower",
    ),
    (
        phrase(f"{one_of('ease lift let')}(?: it)? (?:off|up)(?: the {one_of('gas throttle speed')})?", "take it easy"),
        "slower",
    ),
]
GAPS = [
    (phrase("(second|meter|foot|length) back"), r"\1 behind"),
    (phrase(f"{one_of('follow time safe safety')} gap"), "gap"),
    (
        phrase(
            "back off", "back away", f"{one_of('reduce fall hang ease stay move get')}(?: \\w+)? back(?: from| off)"
        ),
        "gapmore",
    ),
    (phrase(rf"{one_of('reduce fall hang ease')} back(?!(?: down| up)? to \d)"), "gapmore"),
    (phrase(f"{one_of('give leave keep allow')} (?:{THEM} )?(?:a bit )?{MORE} gap"), "gapmore"),
    (phrase(rf"not {one_of('get go follow drive be stay come')} (?:so|too|that) close"), "gapmore"),
    (phrase("(?:too|not so|less|not|reduce) close"), "gapmore"),
    (phrase("too far(?: (?:behind|back|away))?"), "gapless"),
    (
        phrase("close (?:up|in|the gap)", rf"{one_of('get move go drive follow come stay be')}(?: \w+)? close"),
        "gapless",
    ),
    (phrase("(?:go|stay|keep)(?: along)? with the flow", "keep (?:up|speed) with", "same speed as"), "follow"),
    (phrase(f"stay with(?= {THEM})"), "follow"),
    (phrase(f"{one_of('stay keep hang settle go drive get tuck fall slot pull')}(?: in)? behind"), "follow"),
    (phrase(rf"(?:set|adapt|match)(?: \w+)? speed (?:to|with|of)(?= {THEM})"), "follow"),
]
STOPS = [
    (
        phrase(
            r"pull(?: (?!back)\w+)? (?:over|aside|off|in$)", rf"pull(?: \w+)? (?:to|on){up_to(2)} (?:side|shoulder)"
        ),
        "pullover",
    ),
    (phrase(rf"pullover{some('to on the right')} (?:side|shoulder)", "pullover(?: of)? the road"), "pullover"),
    (phrase(rf"stop(?: \w+)? {one_of('on at by to')}{some('the right hard')} (?:side|shoulder)"), "pullover"),
    (phrase(f"{one_of('move go get drive')}{some('on to over in the')} shoulder and stop"), "pullover"),
    (phrase(f"(?:come|bring){up_to(2)} to(?: a)? rest", "(?:stand|stay) still"), "stop"),
]
CALLING_OFF = [
    (phrase(f"not mind{some('that it about')}"), "cancel"),
    (
        phrase(
            f"{one_of('forget reduce scrap scratch ignore skip belay')}(?: about)?"
            rf" (?:it|that|this|what i said|everything|the (?:last |previous )?{ORDER})"
            rf"(?! (?:\d|to\b|by\b|down\b|back\b|{CAR}\b))"
        ),
        "cancel",
    ),
    (phrase(r"call (?:it|that|the \w+) off", "call off(?: the)?", "(?:changed|move) my mind", "as you were"), "cancel"),
    (phrase("(?:(?:turn|move|shut) off|disable)(?: the)? cruise(?: control)?", "cruise(?: control)? off"), "cancel"),
    (
        phrase(
            "stop (?:do )?(?:it|that)",
            "stop (?:the|this|that|your) (?:lane )?(?:overtake|move|maneuver|manoeuvre)",
            "leave it(?: be| alone)?$",
        ),
        "cancel",
    ),
]
GOING_ON = [(phrase(r"(?:keep|carry) (?:go|on)(?! \d| at)(?: like (?:this|that))?"), "continue")]

IDIOMS = [*UNITS, *CONDITIONS, *LANES, *OVERTAKING, *SPEEDS, *GAPS, *STOPS, *CALLING_OFF, *GOING_ON]
"""Every pattern with what it is read as."""
