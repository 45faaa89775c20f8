"""What `hotlap drive --explain` does: results to stdout, a lane or speed that cannot be as MissionError."""

import json

from hotlap.highway.orders.interpreting import interpret
from hotlap.highway.orders.results import Refused, as_record, as_sentence
from hotlap.highway.orders.situation import Situation


def explain(text: str, *, lane: int, speed_mph: float, as_json: bool = False) -> None:
    """Print what was understood, as one sentence or one JSON object; a refusal is a result too."""
    result = interpret(text, Situation(lane=lane, speed_mph=speed_mph))
    if as_json:
        print(json.dumps(as_record(result), indent=2))
    elif isinstance(result, Refused):
        print(f"Refused: {as_sentence(result)}")
    else:
        print(as_sentence(result))
