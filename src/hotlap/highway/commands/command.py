"""What `hotlap drive --explain` does: results to stdout, a lane or speed that cannot be as MissionError."""

import json
import shlex
from typing import NoReturn

from hotlap.errors import MissionError
from hotlap.highway.commands.interpreting import interpret
from hotlap.highway.commands.results import Refused, as_record, as_sentence
from hotlap.highway.commands.situation import Situation


def explain(text: str, *, lane: int, speed_mph: float, as_json: bool = False) -> None:
    """Print what was understood, as one sentence or one JSON object; a refusal is a result too."""
    result = interpret(text, Situation(lane=lane, speed_mph=speed_mph))
    if as_json:
        print(json.dumps(as_record(result), indent=2))
    elif isinstance(result, Refused):
        print(f"Refused: {as_sentence(result)}")
    else:
        print(as_sentence(result))


def refuse_to_drive(text: str) -> NoReturn:
    """Without `--explain` there is nothing to drive yet; say what works."""
    raise MissionError(
        "driving an order needs a trained highway driver, which this version does not have. "
        f"To see what was understood, run: hotlap drive --explain {shlex.quote(text[:80])}"
    )
