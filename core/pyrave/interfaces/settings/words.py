"""Words behind an id; ``name="..."`` may have blanks, as may texts between commas."""

from __future__ import annotations

import re
from collections.abc import Iterable

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_WORD = re.compile(rf'[^\s="]+={_QUOTED}(?!\S)|\S+', re.DOTALL)
_TEXT = re.compile(rf"{_QUOTED}|[^\s,]+", re.DOTALL)


def split_words(text: str) -> list[str]:
    """Return the words of ``'Id word name="two words"'``, without the quotes."""
    return [_plain_word(word) for word in _WORD.findall(text)]


def join_words(words: Iterable[str]) -> str:
    """Return the text of which `split_words` gives the words."""
    return " ".join(map(_said_word, words))


def split_texts(text: str) -> list[str]:
    """Return texts with blanks or commas between them, without their quotes."""
    return [_plain(one) for one in _TEXT.findall(text)]


def quoted(text: str) -> str:
    """Return a text as one of several: in quotes where it needs them."""
    is_plain = text and text[0] != '"' and not re.search(r"[\s,]", text)
    return text if is_plain else _in_quotes(text)


def _said_word(word: str) -> str:
    name, equals, text = word.partition("=")
    if equals and (text[:1] == '"' or re.search(r"\s", text)):
        return f"{name}={_in_quotes(text)}"
    return word


def _plain_word(word: str) -> str:
    name, equals, text = word.partition("=")
    return f"{name}={_plain(text)}" if equals else word


def _plain(text: str) -> str:
    if re.fullmatch(_QUOTED, text, re.DOTALL):
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    return text


def _in_quotes(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
