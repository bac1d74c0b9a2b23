"""OpenRAVE's own files saved: composed as they were, written out, by tags alone."""

from __future__ import annotations

import dataclasses
import re

import corpus
import numpy as np
import pytest
from openrave_view import same, view

import pyrave

ROOT = corpus.openrave_root()
pytestmark = pytest.mark.skipif(ROOT is None, reason="the corpus is not here")
FILES = corpus.short(tuple(f for f in corpus.openrave_files() if f.endswith(".xml")))

_OWN = re.compile("<pyrave>.*?</pyrave>", re.DOTALL)
# what COLLADA's manipulators say of solvers besides their names
_HINT = re.compile(r"hints of manipulators are for pyrave alone: ")
_FILE = re.compile(r"""\sfile\s*=\s*["']""", re.IGNORECASE)


@pytest.fixture(autouse=True)
def _data(monkeypatch):
    """Let OpenRAVE's folder be a data folder, as it is where OpenRAVE is installed."""
    monkeypatch.setenv("OPENRAVE_DATA", str(ROOT))


def included(path):
    """Return how many files the elements of a file name, without meshes."""
    meshes = re.sub(
        r"<(data|render|collision)\b[^>]*>", "", path.read_text(), flags=re.IGNORECASE
    )
    return len(_FILE.findall(re.sub("<!--.*?-->", "", meshes, flags=re.DOTALL)))


def parts(body):
    """Return what a body was composed of, but how that was written."""
    known = body.composition.parts if body.composition else ()
    return [dataclasses.replace(part, file="", name="") for part in known]


def unsaid(losses):
    """Return what was lost besides hints for solvers, which are for pyrave alone."""
    return [loss for loss in losses if not _HINT.search(loss)]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_saved_as_it_was_composed(tmp_path, name):
    scene = pyrave.read(ROOT / name)
    target = tmp_path / (ROOT / name).name
    assert pyrave.convert(ROOT / name, target) == ()
    again = pyrave.read(target)
    assert again == scene
    if not scene.name and "<environment file" not in (ROOT / name).read_text().lower():
        assert included(target) == included(ROOT / name)
    for body, found in zip(scene.bodies, again.bodies, strict=True):
        assert parts(found) == parts(body)
    once = target.read_text()
    pyrave.convert(target, target.with_name("again_" + target.name))
    assert target.with_name("again_" + target.name).read_text() == once


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_written_out(tmp_path, name):
    scene = pyrave.read(ROOT / name)
    target = tmp_path / (ROOT / name).name
    assert unsaid(pyrave.convert(ROOT / name, target, expand=True)) == []
    assert included(target) == 0
    assert pyrave.read(target) == scene
    target.write_text(_OWN.sub("", target.read_text()))
    same(view(scene), view(pyrave.read(target)))


@pytest.mark.parametrize("name", FILES)
def test_an_environment_is_saved_and_loaded(tmp_path, name):
    env = pyrave.load(ROOT / name)
    for body in env.bodies:
        pose = body.transform
        pose[:3, 3] += (0.1, -0.2, 0.3)
        body.transform = pose
        body.dof_values = body.dof_values + 0.01
    for number, expand in enumerate((False, True)):
        target = tmp_path / f"{number}.env.xml"
        losses = env.save(target, expand=expand)
        assert unsaid(losses) == []
        assert pyrave.load(target).describe() == env.describe()


def test_lab1_names_its_robots_and_mugs_again(tmp_path):
    env = pyrave.load(ROOT / "data/lab1.env.xml")
    robot = env.robots["BarrettWAM"]
    values = robot.dof_values
    values[1] = 0.25
    robot.dof_values = values
    robot.grab("mug1")
    target = tmp_path / "lab.env.xml"
    assert env.save(target) == ("warning: grabs are for pyrave alone: 'mug1'",)
    text = target.read_text()
    assert '<Robot file="robots/barrettsegway.robot.xml" name="BarrettWAM">' in text
    assert text.count('file="data/mug1.kinbody.xml"') == 6
    assert "<jointvalues>0 0.25 0" in text
    again = pyrave.load(target)
    assert again.describe() == env.describe()
    assert [body.name for body in again.robots[0].grabbed] == ["mug1"]


def test_meshes_are_embedded(tmp_path):
    target = tmp_path / "wam.robot.xml"
    source = ROOT / "robots/barrettwam.robot.xml"
    losses = pyrave.convert(source, target, embed_meshes=True)
    # a mesh with several materials keeps the first one's colours
    assert all("materials; embedded" in loss for loss in losses)
    text = target.read_text()
    assert ".iv" not in text
    assert ".xml" not in text
    env = pyrave.load(source)
    assert text.count("<vertices>") == sum(
        geometry.description.shape.type == "trimesh"
        for link in env.robots[0].links
        for geometry in link.geometries
    )
    alone = pyrave.load(target)
    for one, two in zip(env.robots[0].links, alone.robots[0].links, strict=True):
        np.testing.assert_allclose(one.aabb, two.aabb, atol=1e-12)
