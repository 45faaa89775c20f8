"""Cars as data: files, refusals, figures found by driving, fingerprints, and the commands."""

import json
import re

import pytest

from hotlap.cli import main
from hotlap.errors import CarError
from hotlap.racer import grip_car
from hotlap.racer.cars import Car, car_ids, fingerprint, load_car
from hotlap.racer.cars.car_files import RANGES, checked_car
from hotlap.racer.cars.drives import spins_at_low_speed
from hotlap.racer.cars.figures import CarFigures, car_figures, grip_envelope
from hotlap.racer.cars.fingerprint import CONSTANTS, car_fingerprint
from hotlap.racer.grip_car import CarData

# The figures of the cars as they were meant: top speed, 0 to 100 km/h, 100 to 0 km/h.
MEANT = {"gt": (300.0, 4.0, 25.0), "formula": (326.0, 2.4, 19.0), "street": (251.0, 6.9, 40.0)}
# Another value means another car: every driver trained for it is then for a car that is gone.
FINGERPRINTS = {
    "gt": "grip-1:727a78545ecf955d",
    "formula": "grip-1:5e554c2bb17b6914",
    "street": "grip-1:28a0aee9a2efb5da",
}
KEYS = ("top_speed_kmh", "zero_to_100_s", "zero_to_200_s", "braking_100_to_0_m")
SIDEWAYS = ("lateral_g_80", "lateral_g_150", "lateral_g_250")


def changed(**numbers: object) -> dict:
    return {**load_car("gt").data._asdict(), **numbers}


def car_file(folder, text: str):
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def as_toml(numbers: dict) -> str:
    return "\n".join(f"{key} = {value!r}" for key, value in numbers.items())


@pytest.mark.parametrize("name", car_ids())
def test_figures_are_within_three_percent_of_what_was_meant(name):
    figures = car_figures(load_car(name).data)
    found = (figures.top_speed_kmh, figures.zero_to_100_s, figures.braking_100_to_0_m)
    assert found == pytest.approx(MEANT[name], rel=0.03)


def test_downforce_holds_a_fast_car_and_street_tyres_hold_one_g():
    figures = {name: car_figures(load_car(name).data) for name in car_ids()}
    assert figures["formula"].lateral_g_250 > 2.0 * figures["formula"].lateral_g_80
    assert figures["street"].lateral_g_80 == pytest.approx(1.05, rel=0.03)
    assert figures["gt"].lateral_g_80 < figures["gt"].lateral_g_150 < figures["gt"].lateral_g_250


def test_car_that_is_too_slow_for_a_figure_has_none():
    figures = car_figures(load_car("street").data._replace(power_kw=20.0))
    assert figures.zero_to_200_s is None
    assert figures.lateral_g_250 is None


def test_grip_envelope_reaches_from_braking_to_driving():
    forward, sideways = zip(*grip_envelope(150.0, load_car("gt").data), strict=True)
    assert min(forward) < -1.7
    assert max(forward) > 0.4
    assert max(sideways) == pytest.approx(car_figures(load_car("gt").data).lateral_g_150, rel=0.05)


@pytest.mark.parametrize("name", car_ids())
def test_fingerprint_is_the_one_written_down(name):
    assert car_fingerprint(load_car(name).data) == FINGERPRINTS[name]


@pytest.mark.parametrize("key", CarData._fields)
def test_fingerprint_changes_with_every_number_of_the_car(key):
    data = load_car("gt").data
    other = data._replace(**{key: getattr(data, key) * (1.0 + 1e-9) + 1e-9})
    assert car_fingerprint(other) != car_fingerprint(data)


def test_every_number_of_the_model_is_in_the_fingerprint():
    """All module constants, apart from those that follow from others."""
    derived = {"SUBSTEP_S", "ACCEL_BLEND", "TICKS_PER_SECOND", "ROAD", "RUNOFF"}
    constants = {name for name in vars(grip_car) if re.fullmatch(r"[A-Z][A-Z0-9_]+", name)}
    assert constants - derived == set(CONSTANTS)


def test_fingerprint_changes_with_the_rules(monkeypatch):
    before = car_fingerprint(load_car("gt").data)
    monkeypatch.setattr(grip_car, "USABLE_GRIP", 0.97)
    assert fingerprint.car_fingerprint(load_car("gt").data) != before


def test_file_of_a_user_is_a_car(tmp_path):
    path = car_file(tmp_path, 'name = "Mine"\n' + as_toml(changed(mass_kg=1200)))
    car = load_car(path)
    assert (car.car_id, car.name, car.data.mass_kg) == ("mine", "Mine", 1200.0)
    assert load_car(str(path)) == car
    assert load_car(car) is car


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"mass_kg": float("nan")}, "mass_kg must be a finite number, not nan"),
        ({"mass_kg": "heavy"}, "mass_kg must be a finite number, not 'heavy'"),
        ({"mass_kg": True}, "must be a finite number"),
        ({"mass_kg": -5.0}, "mass_kg must be from 100 to 10000, not -5"),
        ({"rear_axle_m": 0.0}, "the front axle carries no load at rest"),
        ({"front_axle_m": -0.2}, "the rear axle carries no load at rest"),
        ({"yaw_inertia_kgm2": 20.0}, "spins at walking pace"),
        ({"power_kw": 3000.0}, "with this power_kw and drag it would reach"),
        ({"friction": 0.0}, "friction must be from 0.1 to 3"),
        ({"masss_kg": 5.0}, 'no key "masss_kg". Did you mean "mass_kg"?'),
    ],
)
def test_unphysical_car_is_refused_with_the_reason(change, reason):
    with pytest.raises(CarError, match=re.escape(reason)):
        checked_car(changed(**change), "mine.toml")


def test_missing_keys_are_named():
    numbers = changed()
    del numbers["drag"], numbers["friction"]
    with pytest.raises(CarError, match="drag, friction missing"):
        checked_car(numbers, "mine.toml")


def test_car_that_spins_in_a_slow_corner_is_refused():
    """Short, the weight on its front axle, next to no inertia: half the lock throws it round."""
    spinner = {"rear_axle_m": 1.0, "front_axle_m": 0.1, "yaw_inertia_kgm2": 33.0}
    with pytest.raises(CarError, match="spins in a slow corner"):
        checked_car(changed(**spinner), "mine.toml")
    assert not spins_at_low_speed(load_car("gt").data)


@pytest.mark.parametrize("text", ["mass_kg = ", "name = 5", "\x00", 'name = ""'])
def test_file_that_is_no_car_is_refused(tmp_path, text):
    with pytest.raises(CarError, match=r"mine\.toml"):
        load_car(car_file(tmp_path, text))


@pytest.mark.parametrize(("name", "reason"), [("gtt", 'Did you mean "gt"'), (5, "no car 5"), ("x/y", "x/y: cannot")])
def test_unknown_car_is_refused(name, reason):
    with pytest.raises(CarError, match=reason):
        load_car(name)


def test_ranges_hold_every_key_and_every_built_in_car():
    assert tuple(RANGES) == CarData._fields
    for name in car_ids():
        assert isinstance(load_car(name), Car)


# The commands


def test_show_prints_the_figures_as_json(capsys):
    assert main(["cars", "show", "gt", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(KEYS + SIDEWAYS) <= set(facts)
    assert facts["fingerprint"] == FINGERPRINTS["gt"]
    assert facts["numbers"]["mass_kg"] == 1300.0
    assert set(CarFigures.__dataclass_fields__) <= set(facts)


def test_show_prints_numbers_figures_and_draws(capsys, tmp_path):
    picture = tmp_path / "gg.png"
    assert main(["cars", "show", "street", "--picture", str(picture)]) == 0
    printed = capsys.readouterr().out
    assert "front-wheel drive" in printed
    assert "top speed   255 km/h" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["cars", "show", "street", "--picture", str(picture)]) == 2
    assert "exists already" in capsys.readouterr().err


def test_list_names_every_car(capsys):
    assert main(["cars", "list"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in (*car_ids(), "classic"))
    assert main(["cars", "list", "--json"]) == 0
    assert [car["id"] for car in json.loads(capsys.readouterr().out)] == list(car_ids())


def test_check_says_yes_or_why_not(capsys, tmp_path):
    path = car_file(tmp_path, as_toml(changed()))
    assert main(["cars", "check", str(path)]) == 0
    assert "can be driven" in capsys.readouterr().out
    path.write_text(as_toml(changed(rear_axle_m=0.0)), encoding="utf-8")
    assert main(["cars", "check", str(path)]) == 2
    assert "carries no load at rest" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "reason"), [(["classic"], "no car with grip"), (["gt", "--picture", "x.jpg"], "png")]
)
def test_show_refuses_what_it_cannot_show(capsys, words, reason):
    assert main(["cars", "show", *words]) == 2
    assert reason in capsys.readouterr().err
