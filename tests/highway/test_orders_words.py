"""From text to plain words: numbers in words, slips of the finger, contractions, units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotlap.highway.orders.numbers import in_digits
from hotlap.highway.orders.reading import corrected, one_slip, plain_words, split
from hotlap.highway.orders.vocabulary import KNOWN, REAL_WORDS

TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("sixty five", "65"),
        ("six five", "65"),
        ("one two zero", "120"),
        ("one ten", "110"),
        ("one twenty five", "125"),
        ("one hundred and ten", "110"),
        ("a hundred", "100"),
        ("two thousand", "2000"),
        ("fifty five point five", "55.5"),
        ("one point two five", "1.25"),
        ("one and a half", "1.5"),
        ("half a second", "0.5 second"),
        ("a couple of lanes", "2 lanes"),
        ("minus twenty", "-20"),
        ("pass that one", "pass that one"),
        ("sixty sixty", "60 60"),
        ("99999999999", "99999"),
        ("point", "point"),
        ("minus", "minus"),
        ("hundred", "hundred"),
    ],
)
def test_numbers_in_words_become_digits(words, digits):
    assert " ".join(in_digits(words.split())) == digits


@given(st.integers(20, 99))
def test_every_two_digit_number_is_read_both_ways(number):
    tens, ones = divmod(number, 10)
    spelt = [TENS[tens - 2], *([ONES[ones - 1]] if ones else [])]
    assert in_digits(spelt) == [str(number)]
    assert in_digits([ONES[tens - 1], ONES[ones - 1] if ones else "zero"]) == [str(number)]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("cruse", "cruise"),
        ("overtkae", "overtake"),
        ("rihgt", "right"),
        ("lfet", "left"),
        ("fourty", "forty"),
        ("accelrate", "accelerate"),
    ],
)
def test_one_slip_is_forgiven(typed, meant):
    assert corrected(typed) == meant


def test_other_words_stay_what_they_are():
    others = [*sorted(REAL_WORDS), "night", "there", "lake", "bananas", "crse", "Ω", "pas"]
    assert [word for word in others if corrected(word) != word] == []


@given(st.sampled_from(sorted(word for word in KNOWN if len(word) > 5)), st.data())
def test_dropped_letter_is_one_slip_and_two_are_not(word, data):
    place = data.draw(st.integers(1, len(word) - 1))
    assert one_slip(word[:place] + word[place + 1 :], word)
    assert not one_slip(word[:2], word)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't!", "do not"),
        ("62.5mph", "62.5 mph"),
        ("1,000 km/h", "1000 kmh"),
        ("fifty-five", "fifty five"),
        ("-20", "minus 20"),
        ("\uff13\uff10 m/s", "30 mps"),
        ("we're", "we are"),
        ("stop overtaking", "cancel that"),
        ("stop moving", "stop moving"),
        ("no passing", "not passing"),
    ],
)
def test_text_is_split_into_words(text, words):
    assert " ".join(split(text)) == words


def test_synonyms_and_idioms_are_read_as_one_word():
    assert plain_words("Switch lanes") == "move lane"
    assert plain_words("get around that lorry") == "overtake that truck"
    assert plain_words("sixty miles an hour") == "60 mph"
