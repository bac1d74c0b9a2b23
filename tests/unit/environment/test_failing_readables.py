"""Readables of plugins that fail when they are saved, compared or pickled."""

import dataclasses
import pickle
import re
import sys
import threading

import numpy as np
import pytest

import pyrave
from pyrave.scene import Readable, XmlElement
from pyrave.summary.parts import readables_summary

SCENE = """<environment><robot name='r'><kinbody><body name='base'><note/></body>
</kinbody></robot><module type='Idle'><note/></module></environment>"""


class Note(Readable):
    """Writes itself by what a test gives."""

    def __init__(self, write=lambda: None):
        self.write = write

    def to_xml(self):
        return self.write()


class TextError(Exception):
    def __str__(self):
        raise RuntimeError


def fail(error):
    raise error


UNWRITABLE = [
    lambda: 1 // 0,
    lambda: fail(TextError()),
    sys.exit,
    lambda: fail(BaseException("all")),
    lambda: "<note/>",
    lambda: XmlElement("note", (("a", 3),)),
    lambda: XmlElement("note", text=7),
    lambda: XmlElement("note", children=("child",)),
    lambda: XmlElement("note", ("a", "b")),
]


@pytest.fixture
def env(env):
    env.register("module", "Idle", Idle)
    return env


class Idle(pyrave.ModuleBase):
    contract = 1

    def main(self, args):
        return 0


def loaded(env, readable):
    for kind in ("link", "module"):
        env.registry.register_xml_reader(kind, "note", lambda *_: readable)
    env.load_string(SCENE)
    return env


@pytest.mark.parametrize("suffix", ["env.xml", "dae", "wc.xml"])
@pytest.mark.parametrize("write", UNWRITABLE)
def test_what_cannot_be_written_is_a_loss(env, tmp_path, write, suffix):
    path = tmp_path / f"scene.{suffix}"
    losses = loaded(env, Note(write)).save(path)
    expected = re.compile(r"the readable 'note' of 'base' \(.*\.Note\): ")
    assert sum(bool(expected.search(one)) for one in losses) == 1
    assert pyrave.read(path).bodies[0].name == "r"


def test_a_readable_in_a_description_of_one_body_is_a_loss(env, tmp_path):
    loaded(env, Note(UNWRITABLE[0]))
    losses = env.save(tmp_path / "r.robot.xml", body="r")
    assert any("ZeroDivisionError" in one for one in losses)


@dataclasses.dataclass(frozen=True)
class Table(Readable):
    """A common mistake: == of arrays is an array."""

    rows: np.ndarray

    def to_xml(self):
        return XmlElement("note", text=" ".join(map(str, self.rows)))


@pytest.mark.parametrize("suffix", ["env.xml", "dae"])
def test_what_cannot_be_compared_is_a_loss(env, tmp_path, suffix):
    losses = loaded(env, Table(np.zeros(3))).save(tmp_path / f"scene.{suffix}")
    assert any("frozen dataclass" in one or "ambiguous" in one for one in losses)


def test_what_does_not_pickle_is_left_out_of_pickles_and_named(env):
    note = Note()
    note.lock = threading.Lock()
    loaded(env, note)
    again = pickle.loads(pickle.dumps(env))  # noqa: S301 - made here
    assert again.bodies.names == env.bodies.names
    said = [p for p in env.problems if p.code == "not-pickled"]
    assert len(said) == 2
    assert "a pickle is without the readable 'note' of 'base'" in said[0].message
    assert env.robots[0].links[0].description.readables


def test_summaries_say_what_does_not_write_itself(env):
    module = loaded(env, Note(UNWRITABLE[0])).modules[0]
    (found,) = readables_summary(module.readables)
    assert found["xml"] == (
        "none: its to_xml() raised ZeroDivisionError: "
        "integer division or modulo by zero"
    )
