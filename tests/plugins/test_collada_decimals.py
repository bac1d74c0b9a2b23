"""Long lists of numbers in COLLADA: each is what `float` or `int` makes of it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyrave_collada.document.decimals import parse_decimals, parse_whole

BLANKS = st.text(" \t\n\r\f\v", min_size=1, max_size=3)
EXPONENT = st.one_of(
    st.just(""),
    st.builds("{}{:d}".format, st.sampled_from("eE"), st.integers(-330, 310)),
)
WRITTEN = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.one_of(
        st.from_regex(r"[0-9]{1,25}\.?", fullmatch=True),
        st.from_regex(r"[0-9]{0,4}\.[0-9]{1,25}", fullmatch=True),
        st.from_regex(r"0\.0{0,20}[0-9]{1,20}", fullmatch=True),
    ),
    EXPONENT,
)
WORD = st.one_of(WRITTEN, st.floats(allow_nan=False).map(repr))
# words that look like numbers, or would be taken for two
ODD = (
    *("", ".", "-", "+", "e", "1e", "e1", ".e1", "1e.5", "1e5.", "1e5e5", "1.2.3"),
    *("5-3", "--5", "+-5", "1e--5", "1e+", "5. -", "0x10", "1_0", "nan", "inf", "a"),
    *("1,5", "1e 5", "1 e5", ". 5-3", "- 5-", "1e5-", "infinity", "1d5", "\0"),
)


def bits(values):
    return np.asarray(values, dtype=np.float64).view(np.uint64).tolist()


@given(st.lists(st.tuples(WORD, BLANKS)), BLANKS)
@example([("9007199254740993", " "), ("-0.0", " "), ("0e5", " ")], " ")
@example([("9223372036854775807", " "), ("-9223372036854775809", " ")], " ")
@example([("0." + 30 * "0" + "1", " "), ("1" + 25 * "0", " ")], " ")
def test_decimals_are_rounded_as_python_rounds_them(words, before):
    text = before + "".join(word + blank for word, blank in words)
    assert bits(parse_decimals(text)) == bits([float(word) for word, _ in words])


@given(st.integers(1 << 53, (1 << 62) - 1), st.integers(1, 22))
def test_numbers_between_two_floats(whole, power):
    """Halfway between two floats is where a wrong rounding would show."""
    close = float(whole)
    middle = (int(close) + int(np.nextafter(close, np.inf))) // 2
    words = [f"{digits}e-{power}" for one in (whole, middle)
             for digits in (one - 1, one, one + 1)]  # fmt: skip
    assert bits(parse_decimals(" ".join(words))) == bits(list(map(float, words)))


def test_odd_words_are_what_python_makes_of_them():
    for word, more in itertools.product(ODD, ("", " 1.5 2", " 7e2")):
        text = f"1 {word}{more}"
        assert outcome(parse_decimals, text) == outcome(python_floats, text), text


def outcome(parse, text):
    """Return the bits of the numbers, or True if it says that there are none."""
    try:
        return bits(parse(text))
    except ValueError as error:
        return "could not convert" in str(error) or error


def python_floats(text):
    return [float(one) for one in text.split()]


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1)), BLANKS)
def test_whole_numbers(values, blank):
    text = blank.join(map(str, values))
    assert parse_whole(text).tolist() == values
    positive = [abs(value) >> 1 for value in values]
    assert parse_whole(blank.join(map(str, positive))).tolist() == positive


@pytest.mark.parametrize(
    "word", ["1.5", "a", "5-3", "1e3", "-", "99999999999999999999a"]
)
def test_what_is_no_whole_number_is_refused(word):
    with pytest.raises(ValueError, match="invalid literal"):
        parse_whole(f"1 2 {word} 3")


@given(st.text("0123456789+-.eE \n", max_size=60))
def test_any_text_of_such_letters(text):
    try:
        wanted = [float(one) for one in text.split()]
    except ValueError:
        with pytest.raises(ValueError, match="could not convert"):
            parse_decimals(text)
    else:
        assert bits(parse_decimals(text)) == bits(wanted)


@pytest.mark.parametrize("word", ["9223372036854775808", "-9223372036854775809"])
def test_whole_numbers_beyond_64_bits_are_refused(word):
    with pytest.raises(OverflowError):
        parse_whole(f"1 2 {word} 3")
