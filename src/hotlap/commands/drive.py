"""The options of `hotlap drive`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Drive:
    """Say what the car should do on the highway, in plain English."""

    text: str
    """The order, for example "cruise at 65, keep two seconds" or "pass this truck"."""
    explain: bool = False
    """Only say what was understood; nothing drives."""
    lane: int = 2
    """Lane the car is in, 0 (leftmost) to 4."""
    speed_mph: float = 58.0
    """Speed of the car, 0 to 89 mph."""
    json: bool = False
    """Print one JSON object instead of a sentence."""

    def run(self) -> None:
        """Interpret the order and print it."""
        from hotlap.highway.commands.command import explain, refuse_to_drive

        if not self.explain:
            refuse_to_drive(self.text)
        explain(self.text, lane=self.lane, speed_mph=self.speed_mph, as_json=self.json)
