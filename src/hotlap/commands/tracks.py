"""The options of `hotlap tracks …`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class ListTracks:
    """List the built-in tracks: length, direction, width."""

    json: bool = False
    """Print one JSON array instead of a table."""

    def run(self) -> None:
        """Print the list."""
        from hotlap.racer.tracks import track_tools

        track_tools.list_tracks(as_json=self.json)


@dataclass(frozen=True)
class ShowTrack:
    """Print what is known about a track, and draw it where a picture is asked for."""

    track: str
    """A built-in track such as track-01, generated:SEED:DIFFICULTY, or the path of a .json or .csv track file."""
    picture: Path | None = None
    """Draw the track to this PNG file."""
    force: bool = False
    """Write over a file that is already there."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Print the facts, draw the picture."""
        from hotlap.racer.tracks import track_tools

        track_tools.show_track(self.track, picture=self.picture, as_json=self.json, force=self.force)


@dataclass(frozen=True)
class ImportTrack:
    """Turn the CSV of a real circuit (x_m,y_m,w_tr_right_m,w_tr_left_m) into a track file."""

    source: Path
    """The CSV file: one row per point of the centre line, in metres."""
    output: Path | None = None
    """The track file to write; by default beside the CSV file, with its name and .json."""
    scale: float | None = None
    """Game units per metre, above 0; by default such that the road suits the car."""
    smoothing: Literal["none", "light", "strong"] | None = None
    """none keeps every row, light takes out survey noise, strong rounds the corners; by default light, else strong."""
    picture: Path | None = None
    """Draw the track to this PNG file."""
    force: bool = False
    """Write over files that are already there."""

    def run(self) -> None:
        """Read, scale, smooth, check, write."""
        from hotlap.racer.tracks import track_tools

        track_tools.import_track(
            self.source,
            output=self.output,
            scale=self.scale,
            smoothing=self.smoothing,
            picture=self.picture,
            force=self.force,
        )


@dataclass(frozen=True)
class GenerateTrack:
    """Make a closed circuit from a seed: the same seed and difficulty always give the same circuit."""

    seed: int
    """Which circuit, 0 or more."""
    difficulty: Literal["easy", "medium", "hard"] = "medium"
    """How narrow and twisty it is."""
    output: Path | None = None
    """The track file to write; by default generated-SEED-DIFFICULTY.json in the current folder."""
    picture: Path | None = None
    """Draw the track to this PNG file."""
    force: bool = False
    """Write over files that are already there."""

    def run(self) -> None:
        """Generate, check, write."""
        from hotlap.racer.tracks import track_tools

        track_tools.generate_tracks(
            self.seed, difficulty=self.difficulty, output=self.output, picture=self.picture, force=self.force
        )
