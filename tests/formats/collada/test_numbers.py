"""Long lists of numbers in COLLADA: each is what `float` or `int` makes of it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.numbers import parse_numbers

FILLER = 1600  # so many words are not parsed one by one
BLANKS = st.text(" \t\n\r", min_size=1, max_size=3)
WRITTEN = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.one_of(
        st.from_regex(r"[0-9]{1,25}\.?", fullmatch=True),
        st.from_regex(r"[0-9]{0,4}\.[0-9]{1,25}", fullmatch=True),
        st.from_regex(r"0\.0{0,20}[0-9]{1,20}", fullmatch=True),
    ),
    st.one_of(
        st.just(""),
        st.builds("{}{:d}".format, st.sampled_from("eE"), st.integers(-330, 310)),
    ),
)
WORD = st.one_of(WRITTEN, st.floats(allow_nan=False).map(repr))
# words that look like numbers, or would be taken for two
ODD = (
    *("", ".", "-", "+", "e", "1e", "e1", ".e1", "1e.5", "1e5.", "1e5e5", "1.2.3"),
    *("5-3", "--5", "+-5", "1e--5", "1e+", "5. -", "0x10", "1_0", "nan", "inf", "a"),
    *("1,5", "1e 5", "1 e5", ". 5-3", "- 5-", "1e5-", "infinity", "1d5"),
)


def parsed(text, dtype=np.float64):
    element = etree.Element("float_array")
    element.text = "0 " * FILLER + text
    return parse_numbers(element, dtype)[FILLER:]


def bits(values):
    return np.asarray(values, dtype=np.float64).view(np.uint64).tolist()


@given(st.lists(st.tuples(WORD, BLANKS)), BLANKS)
@example([("9007199254740993", " "), ("-0.0", " "), ("0e5", " ")], " ")
@example([("0." + 30 * "0" + "1", " "), ("1" + 25 * "0", " ")], " ")
def test_decimals_are_rounded_as_python_rounds_them(words, before):
    text = before + "".join(word + blank for word, blank in words)
    assert bits(parsed(text)) == bits([float(word) for word, _ in words])


@given(st.integers(1 << 53, (1 << 62) - 1), st.integers(1, 22))
def test_numbers_between_two_floats(whole, power):
    """Halfway between two floats is where a wrong rounding would show."""
    close = float(whole)
    middle = (int(close) + int(np.nextafter(close, np.inf))) // 2
    digits = [one + more for one in (whole, middle) for more in (-1, 0, 1)]
    words = [f"{one}e-{power}" for one in digits]
    assert bits(parsed(" ".join(words))) == bits([float(word) for word in words])


def outcome(function, text):
    """Return the bits of the numbers, or None if a word is none."""
    try:
        return bits(function(text))
    except (ValueError, ElementError):
        return None


def python_floats(text):
    return [float(one) for one in text.split()]


def test_odd_words_are_what_python_makes_of_them():
    for word, more in itertools.product(ODD, ("", " 1.5 2", " 7e2")):
        text = f"1 {word}{more}"
        assert outcome(parsed, text) == outcome(python_floats, text), text


@given(st.text("0123456789+-.eE \n", max_size=60))
def test_any_text_of_such_letters(text):
    assert outcome(parsed, text) == outcome(python_floats, text)


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1)), BLANKS)
@example([(1 << 63) - 1, -(1 << 63)], " ")
def test_whole_numbers(values, blank):
    assert parsed(blank.join(map(str, values)), np.int64).tolist() == values


@pytest.mark.parametrize(
    "word",
    [
        *("1.5", "a", "5-3", "1e3", "-", "99999999999999999999a"),
        *("9223372036854775808", "-9223372036854775809"),
    ],
)
def test_what_is_no_whole_number_of_64_bits_is_refused(word):
    with pytest.raises(ElementError, match="whole number"):
        parsed(f"1 2 {word} 3", np.int64)
