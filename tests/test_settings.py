"""Settings: defaults, what is merged into them, and how wrong keys and values are refused."""

import math
import tomllib
from dataclasses import dataclass, field
from typing import Literal

import pytest

from hotlap.errors import ConfigError
from hotlap.highway.config import HighwayConfig
from hotlap.racer.config import RacerConfig
from hotlap.settings import check_ranges, merged, read_toml
from hotlap.training.config import load_preset
from settings_bombs import JSON_BOMBS, TOML_BOMBS


@dataclass(frozen=True)
class Wheels:
    count: int = 4
    radius_m: float = 0.3


@dataclass(frozen=True)
class Car:
    name: str = "car"
    colour: Literal["red", "blue"] = "red"
    gears: tuple[float, ...] = (1.0, 2.0)
    lights: bool = True
    wheels: Wheels = field(default_factory=Wheels)


def test_what_is_not_said_keeps_its_default():
    assert merged(Car(), {}, "car") == Car()
    assert merged(Car(), {"wheels": {"count": 3}}, "car") == Car(wheels=Wheels(count=3))


def test_values_become_what_the_field_is():
    car = merged(Car(), {"gears": [3, 4.5], "wheels": {"radius_m": 1, "count": 3.0}}, "car")
    assert car == Car(gears=(3.0, 4.5), wheels=Wheels(3, 1.0))
    assert type(car.wheels.count) is int
    assert type(car.wheels.radius_m) is float


def test_merging_leaves_the_default_as_it_was():
    default = Car(name="mine")
    assert merged(default, {"lights": False}, "car") == Car(name="mine", lights=False)
    assert default == Car(name="mine")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nam": "x"}, 'car has no key "nam". Did you mean "name"? Known: colour, gears, lights, name, wheels.'),
        ({7: "x"}, 'car has no key "7".'),
        ({"colour": "bleu"}, "car.colour cannot be 'bleu'. Did you mean \"blue\"? Known: red, blue."),
        ({"colour": ["red"]}, "car.colour cannot be ['red']."),
        ({"wheels": {"cuont": 3}}, 'car.wheels has no key "cuont". Did you mean "count"?'),
        ({"wheels": 4}, "car.wheels must be a mapping of names to values, not int."),
        ({"wheels": {"count": 3.5}}, "car.wheels.count must be a whole number, not 3.5."),
        ({"wheels": {"count": True}}, "car.wheels.count must be a number, not True."),
        ({"wheels": {"count": math.inf}}, "car.wheels.count must be finite"),
        ({"wheels": {"radius_m": "big"}}, "car.wheels.radius_m must be a number, not 'big'."),
        ({"wheels": {"radius_m": math.nan}}, "car.wheels.radius_m must be finite, not nan."),
        ({"wheels": {"radius_m": 10**400}}, "car.wheels.radius_m must be finite"),
        ({"gears": "fast"}, "car.gears does not fit"),
        ({"gears": [1.0, math.nan]}, "car.gears must be finite"),
        ({"name": 3}, "car.name does not fit"),
        ({"lights": 1}, "car.lights does not fit"),
        (["name"], "car must be a mapping of names to values, not list."),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given, message):
    with pytest.raises(ConfigError) as refusal:
        merged(Car(), given, "car")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [(0, "wheels.count must be from 1 to 8, not 0."), (9, "from 1 to 8"), (math.nan, "from 1 to 8")],
)
def test_number_out_of_range_is_refused_with_the_range(value, message):
    with pytest.raises(ConfigError) as refusal:
        check_ranges(Wheels(count=value), "wheels.", count=(1, 8))
    assert message in str(refusal.value)


def test_range_without_an_end_says_so():
    check_ranges(Wheels(count=1), "", count=(1, math.inf))
    with pytest.raises(ConfigError, match="count must be at least 1, not 0"):
        check_ranges(Wheels(count=0), "", count=(1, math.inf))


def test_toml_is_read_and_what_is_none_is_named(tmp_path):
    path = tmp_path / "car.toml"
    path.write_text('name = "x"\n[wheels]\ncount = 3\n', encoding="utf-8")
    assert read_toml(path) == {"name": "x", "wheels": {"count": 3}}
    for content in (b"name =", b"\xff\xfe"):
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=r"car\.toml: cannot be read as TOML"):
            read_toml(path)
    with pytest.raises(ConfigError, match="cannot be read as TOML"):
        read_toml(tmp_path / "none.toml")


@pytest.mark.parametrize("name", TOML_BOMBS)
def test_toml_that_is_a_bomb_is_refused_in_one_sentence(name, tmp_path):
    path = tmp_path / "bomb.toml"
    path.write_text(TOML_BOMBS[name], encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_preset(str(path))
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("name", JSON_BOMBS)
def test_json_that_is_a_bomb_is_refused_in_one_sentence(name, tmp_path):
    path = tmp_path / "ai-config.json"
    path.write_text(JSON_BOMBS[name], encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        RacerConfig.load(path)
    assert len(str(refused.value)) < 1000


def test_no_parser_descends_into_a_deep_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tomllib, "loads", lambda _text: pytest.fail("it was parsed"))
    path = tmp_path / "deep.toml"
    path.write_text("steps = " + "[" * 33 + "]" * 33, encoding="utf-8")
    with pytest.raises(ConfigError, match="nested deeper than 32 levels"):
        read_toml(path)


def test_reward_weights_that_could_overflow_are_refused():
    with pytest.raises(ConfigError, match=r"config\.weights\.crash must be from"):
        HighwayConfig.load({"weights": {"crash": -1e308}})
