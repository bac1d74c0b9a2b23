"""Letters of a few dots each, for text in pictures."""

from __future__ import annotations

import numpy as np

from pyrave.spatial import Array

HEIGHT = 5
"""Rows of a letter."""
# rows of three dots from the top, as octal digits
_GLYPHS = {
    " ": "00000", "A": "25755", "B": "65656", "C": "34443", "D": "65556", "E": "74647",
    "F": "74644", "G": "34553", "H": "55755", "I": "72227", "J": "11152", "K": "55655",
    "L": "44447", "M": "57755", "N": "65555", "O": "25552", "P": "65644", "Q": "25573",
    "R": "65655", "S": "34216", "T": "72222", "U": "55557", "V": "55552", "W": "55775",
    "X": "55255", "Y": "55222", "Z": "71247", "0": "75557", "1": "26227", "2": "71747",
    "3": "71717", "4": "55711", "5": "74717", "6": "74757", "7": "71122", "8": "75757",
    "9": "75717", ".": "00002", ",": "00024", ":": "02020", ";": "02024", "-": "00700",
    "+": "02720", "_": "00007", "=": "07070", "/": "11244", "(": "12221", ")": "42224",
    "[": "32223", "]": "62226", "!": "22202", "?": "71202", "*": "52525", "%": "51245",
    "#": "57575", "'": "22000", '"': "55000", "<": "12421", ">": "42124", "|": "22222",
}  # fmt: skip
_OTHER = "77777"


def dots_of(text: str) -> Array:
    """Return the middles of the dots of a line of text, (n, 2).

    A letter is 3 wide and 5 high, with 1 between two; x goes to the right and y up,
    from the lower left of the first one. Small letters look as capitals, and letters
    that are not known as blocks.
    """
    found = [
        (4 * place + 0.5 + column, HEIGHT - 0.5 - row)
        for place, letter in enumerate(text.upper())
        for row, digit in enumerate(_GLYPHS.get(letter, _OTHER))
        for column in range(3)
        if int(digit) & (4 >> column)
    ]
    return np.array(found).reshape(-1, 2)
