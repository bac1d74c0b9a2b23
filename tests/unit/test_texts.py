"""Names of strangers, over all of Unicode: refused, or escaped wherever they are shown.

What disturbs a reader is of the categories Cc, Cf, Cs, Co, Cn, Zl and Zp.
"""

from __future__ import annotations

import io
import json
import logging
import sys
import unicodedata
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import pyrave
from pyrave.cards import card, curves, table
from pyrave.errors import NotFoundError, Problem, Problems, ResourceError, Severity
from pyrave.messages import StandardErrorHandler, warn
from pyrave.scene import (
    BodyDescription,
    GeometryDescription,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    NoShape,
    RobotDescription,
    SceneDescription,
)
from pyrave.summary import to_json
from pyrave.texts import name_fault, printable

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_DEVICE = '<SerialDevice name="a{}"><Frame name="f"/></SerialDevice>'
_MARKS = {0x061C, 0x200E, 0x200F}


@cache
def _every() -> dict[str, str]:
    """Return all characters of each category in one text."""
    found: dict[str, list[str]] = {}
    for number in range(sys.maxunicode + 1):
        one = chr(number)
        found.setdefault(unicodedata.category(one), []).append(one)
    return {category: "".join(letters) for category, letters in found.items()}


def _samples() -> dict[str, str]:
    """Return some characters of each category that disturbs, all of the small ones."""
    return {
        name: text if len(text) < 300 else text[:20] + text[-20:]
        for name, text in _every().items()
        if name in _HIDDEN
    }


def _disturbs(text: str) -> set[str]:
    """Return the categories of what disturbs in a text, lines and tabs aside."""
    plain = text.replace("\n", "").replace("\t", "")
    return {unicodedata.category(one) for one in plain} & _HIDDEN


def test_categories_are_all_of_unicode():
    assert len(_every()) == 30
    assert sum(map(len, _every().values())) == 0x110000


def test_what_is_escaped_is_just_what_disturbs():
    for category, text in _every().items():
        shown = printable(text, keep="")
        assert not {unicodedata.category(one) for one in shown} & _HIDDEN, category
        if category not in _HIDDEN:
            assert shown == text, category
        elif category not in {"Co", "Cn"}:  # these are many
            for one in text:
                escaped = printable(one, keep="")
                assert escaped.isascii()
                assert escaped.startswith("\\")
                # it says which it was
                assert escaped.encode().decode("unicode_escape") == one
    assert printable("a\tb\nc\r\x1b[2J") == "a\tb\nc\\r\\x1b[2J"


def test_what_names_are_refused_for():
    for category, text in _every().items():
        refused = {one for one in text if name_fault(f"a{one}b")}
        if category in {"Cc", "Cs", "Zl", "Zp"}:
            assert refused == set(text), category
        elif category == "Cf":
            turning = {
                one for one in text if unicodedata.bidirectional(one) in _TURNING
            }
            assert refused == turning | set(map(chr, _MARKS))
        else:
            assert refused == ({" "} if category == "Zs" else set()), category
    assert name_fault("a\u202eb") == "has a mark that turns texts around (U+202E)"
    assert name_fault("a\x9bb") == "has blanks or control characters"


def _description(kind: str, name: str) -> BodyDescription:
    names = {"link": "l", "joint": "j", "geometry": "g", "manipulator": "m", kind: name}
    links = (
        LinkDescription("base"),
        LinkDescription(
            names["link"],
            geometries=(GeometryDescription(NoShape(), name=names["geometry"]),),
        ),
    )
    joint = JointDescription(names["joint"], "fixed", "base", names["link"])
    hand = ManipulatorDescription(names["manipulator"], "base", names["link"])
    return RobotDescription("r", links, (joint,), manipulators=(hand,))


@pytest.mark.parametrize("kind", ["link", "joint", "geometry", "manipulator"])
@pytest.mark.parametrize("mark", ["\x7f", "\x9b", "\u2028", "\u202e", "\u2067"])
def test_names_of_parts_are_refused_in_every_format(kind, mark):
    """A description is what all formats become."""
    env = pyrave.Environment()
    env.add_scene(SceneDescription((_description(kind, "fine"),)))
    env.remove(env.bodies[0])
    with pytest.raises(pyrave.SceneError, match=f"of a {kind} of 'r' has ") as caught:
        env.add_scene(SceneDescription((_description(kind, f"x{mark}y"),)))
    assert not _disturbs(str(caught.value))
    assert len(env.bodies) == 0


@pytest.mark.parametrize(
    "text",
    [
        "<kinbody name='a{}'><body name='l'/></kinbody>",
        "<kinbody name='k'><body name='a{}'/></kinbody>",
        "<robot name='a{}'><link name='l'/></robot>",
        "<robot name='r'><link name='a{}'/></robot>",
        f'<WorkCell name="w">{_DEVICE}</WorkCell>',
    ],
)
@pytest.mark.parametrize("mark", ["\x7f", "\x86", "\u202e", "\u2066"])
def test_names_in_files_are_refused(text, mark):
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string(text.format(mark + "b"))
    assert not _disturbs(str(caught.value))
    assert printable(mark) in str(caught.value)


# -- where names are shown -----------------------------------------------------------


@pytest.mark.parametrize("category", sorted(_samples()))
def test_errors_and_problems_show_nothing_that_disturbs(category):
    name = f"a{_samples()[category]}b"
    problem = Problem(Severity.ERROR, f"{name} is wrong", name, 1, 2, name, name)
    errors = [
        pyrave.SceneError(problem),
        ResourceError(name, [name], name),
        NotFoundError("body", name, [name], name),
        NotFoundError("body", name, [name]),
        pyrave.ArgumentError(f"{name} is wrong"),
        pyrave.StateError(name),
        pyrave.InterfaceNotFoundError("sensor", name, [name], [name]),
    ]
    for shown in (
        *map(str, errors),
        str(problem),
        repr(problem),
        repr(Problems((problem,))),
    ):
        assert not _disturbs(shown)
    assert "\n" not in problem.place


@pytest.mark.parametrize("category", sorted(_samples()))
def test_log_and_warnings_show_nothing_that_disturbs(category, capsys, monkeypatch):
    name = f"a{_samples()[category]}b"
    record = logging.makeLogRecord({"msg": "%s", "args": (name,), "levelno": 30})
    StandardErrorHandler().emit(record)
    said = capsys.readouterr().err
    assert said.startswith("pyrave: ")
    assert not _disturbs(said)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn(name)
    assert not _disturbs(str(caught[0].message))


@pytest.mark.parametrize("category", sorted(_samples()))
def test_terminal_shows_nothing_that_disturbs(category):
    from rich.table import Table
    from rich.text import Text

    from pyrave.cli.terminal import SafeConsole

    name = f"a{_samples()[category]}b"
    stream = io.StringIO()
    out = SafeConsole(file=stream, width=200, force_terminal=True)
    rows = Table("name")
    rows.add_row(name)
    for item in (name, Text(name, style="red"), rows):
        out.print(item)
    text = stream.getvalue()
    assert "\x1b[31m" in text  # colours of ours
    assert not _disturbs(text.replace("\x1b[", "["))


@pytest.mark.parametrize("category", sorted(_samples()))
def test_pages_and_pictures_show_nothing_that_disturbs(category):
    from pyrave_viser.panels.texts import plain, problem_list

    name = f"a<{_samples()[category]}b"
    problem = Problem(Severity.WARNING, name, file=name)
    for page in (
        card(name, {name: name, "": name}),
        table([name], [[name]]),
        problem_list([problem]),
        Problems((problem,))._repr_html_(),
    ):
        assert not _disturbs(page)
        assert etree.fromstring(f"<p>{page}</p>") is not None
    assert not _disturbs(plain(name))
    image = curves(np.zeros((2, 1)), [name], 1.0)
    assert not _disturbs(image)


def test_plots_escape_names(tmp_path: Path):
    from pyrave.plots.figure import new_plot, write_plot

    plot = new_plot(3, 2)
    axes = plot.subplots()
    axes.plot([0, 1], label="a\x1b\u202e\x00b")
    axes.legend()
    write_plot(plot, tmp_path / "plot.svg")
    root = etree.parse(tmp_path / "plot.svg").getroot()
    assert root.tag.endswith("svg")
    written = (tmp_path / "plot.svg").read_text("utf-8")
    assert not _disturbs(written)
    assert "a\\x1b\\u202e\\x00b" in written


def test_json_is_valid_and_means_the_same():
    # halves of characters that meet are one
    for category, text in (_samples() | {"Cs": "\ud800 \udfff"}).items():
        data = {f"a{text}": [text, 1.0], "x": text}
        said = to_json(data)
        assert not _disturbs(said), category
        assert json.loads(said) == data
    assert to_json({"a": "grüße"}) == '{\n  "a": "grüße"\n}'
