"""The page of kernels has all of them, and figures that its command made."""

from __future__ import annotations

import re

import kernels
import pytest

from pyrave.cli.commands.warm import kernel_names

_PAGE = kernels.PAGE.read_text(encoding="utf-8")


def test_each_kernel_is_in_one_row_and_each_pattern_has_some():
    rows = [kernels.family_of(name, _PAGE) for name in kernel_names()]
    assert set(rows) == set(kernels.families(_PAGE))
    with pytest.raises(SystemExit, match=r"new\.kernel is in the rows \[\]"):
        kernels.family_of("new.kernel", _PAGE)


def test_figures_are_written_in_their_rows():
    seconds = dict.fromkeys(kernel_names(), 1.0)
    page = kernels.written(_PAGE, seconds, "on a day with a machine")
    assert f"Measured on a day with a machine: {len(seconds)} seconds of all." in page
    rays = sum(name.startswith("rays.") for name in seconds)
    assert re.search(rf"^\| `rays\.\*` \|.*\| {rays}\.0 \|", page, re.MULTILINE)
    assert re.sub(
        r"\| [\d.]+ \||^Measured .*$", "", page, flags=re.MULTILINE
    ) == re.sub(r"\| [\d.]+ \||^Measured .*$", "", _PAGE, flags=re.MULTILINE)


def test_the_page_has_figures():
    assert re.search(r"^Measured on \d{4}-\d\d-\d\d with Python", _PAGE, re.MULTILINE)
    assert not re.search(r"^\| `.*\| 0\.0 \|", _PAGE, re.MULTILINE)
