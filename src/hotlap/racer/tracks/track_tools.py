"""What `hotlap tracks list | show | import | generate` do: results to stdout, mistakes as TrackError.

The command line calls these, one function to a verb:

    list_tracks(*, as_json=False)
    show_track(track, *, picture=None, as_json=False, force=False)
    import_track(source, *, output=None, scale=None, smoothing=None, picture=None, force=False, as_json=False)
    generate_tracks(seed, *, kind="medium", output=None, picture=None, force=False, as_json=False)

`track` is anything that load_track understands. Files are written whole, and never over another without `force`.
"""

import json
from pathlib import Path
from typing import Any

from hotlap.errors import TrackError
from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.tracks.catalogue import circuit_ids, load_track, track_ids
from hotlap.racer.tracks.circuit_generator import STYLES, generate_circuit
from hotlap.racer.tracks.generate import DIFFICULTIES, generate_track
from hotlap.racer.tracks.importing import import_circuit
from hotlap.racer.tracks.track import Track
from hotlap.racer.tracks.track_files import write_track_file
from hotlap.whole_files import refuse_to_overwrite


def track_facts(track: Track) -> dict[str, Any]:
    """What is worth knowing about a track, as plain values."""
    half_widths_u = track.control_points[:, 2]
    return {
        "id": track.track_id,
        "name": track.name,
        "scale": track.scale,
        "length_u": track.length_u,
        "direction": "counter-clockwise" if track.inner_is_left else "clockwise",
        "control_points": len(track.control_points),
        "samples": len(track.centre),
        "gates": len(track.gate_arcs_u),
        "half_width_u": {"narrowest": float(half_widths_u.min()), "widest": float(half_widths_u.max())},
        "start": {"x_u": track.start_x_u, "y_u": track.start_y_u, "heading_rad": track.start_heading_rad},
        "par_ticks": None if track.par_ticks is None else list(track.par_ticks),
    }


def list_tracks(*, as_json: bool = False) -> None:
    """Print the built-in tracks: id, name, length, direction, width."""
    facts = [track_facts(load_track(track_id)) for track_id in track_ids() + circuit_ids()]
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    print(f"{'id':<10}  {'name':<10}  {'length':>8}  {'direction':<17}  half-width")
    for track in facts:
        length, width = f"{track['length_u']:,.0f} {_unit(track)}", _width(track)
        print(f"{track['id']:<10}  {track['name']:<10}  {length:>8}  {track['direction']:<17}  {width}")
    kinds = "|".join((*DIFFICULTIES, *STYLES))
    print(f'\nAlso "generated:SEED:{kinds}", and the path of any .json or .csv file.')


def show_track(track: str | Path, *, picture: Path | None = None, as_json: bool = False, force: bool = False) -> None:
    """Print what is known about one track, and draw it as a PNG where a path is given."""
    refuse_outputs(None, picture, force=force)
    found = load_track(track)
    if picture is not None:
        _save_picture(found, picture, force=force)
    facts = track_facts(found)
    if as_json:
        print(json.dumps(facts | {"picture": None if picture is None else str(picture)}, indent=2))
        return
    print_facts(facts)
    if picture is not None:
        print(f"picture     {picture}")


def import_track(
    source: Path,
    *,
    output: Path | None = None,
    scale: float | None = None,
    smoothing: str | None = None,
    picture: Path | None = None,
    force: bool = False,
    as_json: bool = False,
) -> None:
    """Make a circuit file of a CSV centre line in metres; by default beside the CSV file, with its name."""
    output = output or Path(source).with_suffix(".json")
    refuse_outputs(output, picture, force=force)
    done = import_circuit(source, scale=scale, smoothing=smoothing)
    write_track_file(done.track, output, force=force)
    if picture is not None:
        _save_picture(done.track, picture, force=force)
    if as_json:
        survey = {name: value for name, value in vars(done).items() if name != "track"}
        _print_json(track_facts(done.track) | {"survey": survey}, output, picture)
        return
    points = len(done.track.control_points)
    print(f"{source}: {done.row_count:,} rows, {done.survey_length_m:,.0f} m")
    print(f"scale       {done.scale:.4g} u per metre{', true scale' if done.scale == 1.0 else ''}")
    print(f"centre      moved by up to {done.largest_shift_m:.2f} m to the middle of the road")
    if done.narrowed_m > 0.0:
        print(f"narrowed    by up to {done.narrowed_m:.2f} m where the road would fold or lie on another piece of road")
    print(f"smoothing   {done.smoothing}: {points:,} control points")
    facts = track_facts(done.track)
    print(f"track       {done.track.length_u:,.0f} {_unit(facts)}, half-width {_width(facts)}")
    _print_written(output, picture)


def generate_tracks(
    seed: int,
    *,
    kind: str = "medium",
    output: Path | None = None,
    picture: Path | None = None,
    force: bool = False,
    as_json: bool = False,
) -> None:
    """Make the track of a seed (easy to hard, or a style of circuits), by default into `generated-SEED-KIND.json`."""
    output = output or Path(f"generated-{seed}-{kind}.json")
    refuse_outputs(output, picture, force=force)
    track = generate_circuit(seed, kind) if kind in STYLES else generate_track(seed, kind)
    write_track_file(track, output, force=force)
    if picture is not None:
        _save_picture(track, picture, force=force)
    if as_json:
        _print_json(track_facts(track), output, picture)
        return
    print_facts(track_facts(track))
    _print_written(output, picture)


def refuse_outputs(track_file: Path | None, picture: Path | None, *, force: bool) -> None:
    """Refuse files that may not be written before any work is done, so that nothing is half written."""
    for path, ending in ((track_file, ".json"), (picture, ".png")):
        if path is None:
            continue
        if path.suffix.lower() != ending:
            raise TrackError(f"{path}: what is written here ends in {ending}. Name it {path.stem}{ending}.")
        refuse_to_overwrite(path, force=force, error=TrackError)


def _save_picture(track: Track, path: Path, *, force: bool) -> None:
    from hotlap.racer.tracks.picture import save_track_picture  # noqa: PLC0415 - matplotlib takes half a second to load

    save_track_picture(track, path, force=force)


def print_facts(facts: dict[str, Any]) -> None:
    """Print the facts of a track for people."""
    start = facts["start"]
    print(f"{facts['name']} ({facts['id']})")
    print(f"length      {facts['length_u']:,.1f} {_unit(facts)}, {facts['direction']}")
    print(f"half-width  {_width(facts)}")
    print(f"geometry    {facts['control_points']} control points, {facts['samples']} samples, {facts['gates']} gates")
    print(f"start       x {start['x_u']:g} u, y {start['y_u']:g} u, heading {start['heading_rad']:.4f} rad")
    if facts["par_ticks"] is not None:
        gold, silver, bronze = (f"{ticks / TICKS_PER_SECOND:g} s" for ticks in facts["par_ticks"])
        print(f"three laps  gold {gold}, silver {silver}, bronze {bronze}")


def _print_json(facts: dict[str, Any], output: Path, picture: Path | None) -> None:
    written = {"written": str(output), "picture": None if picture is None else str(picture)}
    print(json.dumps(facts | written, indent=2))


def _print_written(output: Path, picture: Path | None) -> None:
    print(f"written     {output}")
    if picture is not None:
        print(f"picture     {picture}")


def _unit(facts: dict[str, Any]) -> str:
    """Circuits at true scale are told in metres."""
    return "m" if facts["scale"] == 1.0 else "u"


def _width(facts: dict[str, Any]) -> str:
    narrow, wide = f"{facts['half_width_u']['narrowest']:.0f}", f"{facts['half_width_u']['widest']:.0f}"
    return f"{wide} {_unit(facts)}" if narrow == wide else f"{narrow} to {wide} {_unit(facts)}"
