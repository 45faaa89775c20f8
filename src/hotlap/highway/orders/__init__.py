"""Orders in plain English, by a grammar: what was understood as a mission, or a refusal with its reason."""

from hotlap.highway.orders.interpreting import interpret
from hotlap.highway.orders.results import RefusalKind, Refused, Understood, as_record, as_sentence
from hotlap.highway.orders.situation import Situation, Traffic

__all__ = ["RefusalKind", "Refused", "Situation", "Traffic", "Understood", "as_record", "as_sentence", "interpret"]
