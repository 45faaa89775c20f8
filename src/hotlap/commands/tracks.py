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
    """A built-in track such as track-01 or ridgeway, generated:SEED:DIFFICULTY, generated:SEED:circuit, or a file."""
    car: str | None = None
    """Also say how fast this car can be: classic, gt, formula, street, or the path of a .toml file."""
    picture: Path | None = None
    """Draw the track to this PNG file; with a car, its fastest line and its speed too."""
    force: bool = False
    """Write over a file that is already there."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Print the facts, draw the picture."""
        if self.car is not None:
            from hotlap.policies.lap_tools import show_laps

            show_laps(self.track, self.car, picture=self.picture, as_json=self.json, force=self.force)
            return
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
    """Units per metre; by default 1, true scale. The classic car scales a circuit to itself when it drives it."""
    smoothing: Literal["none", "light", "strong"] | None = None
    """none keeps every row, light takes out survey noise, strong rounds the corners; by default light, else strong."""
    picture: Path | None = None
    """Draw the track to this PNG file."""
    force: bool = False
    """Write over files that are already there."""
    json: bool = False
    """Print one JSON object instead of text."""

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
            as_json=self.json,
        )


@dataclass(frozen=True)
class GenerateTrack:
    """Make a closed track from a seed: the same seed, style and difficulty always give the same track."""

    seed: int
    """Which circuit, 0 or more."""
    difficulty: Literal["easy", "medium", "hard"] = "medium"
    """How narrow and twisty a classic track is."""
    style: Literal["classic", "circuit", "rugged", "chicanes", "fanned", "flowing"] = "classic"
    """classic: in game units; circuit: 2 to 6 km at true scale; rugged: such a one, tighter and of changing width;
    chicanes: a rugged one whose straights are broken by tight chicanes; fanned: one whose road widens towards tight
    corners; flowing: one of fast bends, and of bends that tighten."""
    output: Path | None = None
    """The track file to write; by default generated-SEED-DIFFICULTY.json or generated-SEED-STYLE.json, here."""
    picture: Path | None = None
    """Draw the track to this PNG file."""
    force: bool = False
    """Write over files that are already there."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Generate, check, write."""
        from hotlap.racer.tracks import track_tools

        kind = self.difficulty if self.style == "classic" else self.style
        track_tools.generate_tracks(
            self.seed, kind=kind, output=self.output, picture=self.picture, force=self.force, as_json=self.json
        )
