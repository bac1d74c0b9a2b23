"""Short ways to read, refuse and save in tests."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.errors import SceneError
from pyrave.formats import ReadContext, Resolver, read_scene_text
from pyrave.formats.openrave_xml.hooks import OpenRAVEXmlFormat
from pyrave.scene import SceneDescription


@pytest.fixture
def read():
    """Read a text; return the scene."""

    def read_text(text, folder=None, roots=(), confine=False, **context):
        resolver = Resolver(
            roots, confine=confine, data_roots=(), use_environment=False
        )
        return read_scene_text(
            text,
            [OpenRAVEXmlFormat()],
            ReadContext(resolver=resolver, **context),
            folder=None if folder is None else str(folder),
        )

    return read_text


@pytest.fixture
def refuse(read):
    """Read a text that must be refused; return its problems."""

    def refuse_text(text, folder=None, **context):
        with pytest.raises(SceneError) as caught:
            read(text, folder, **context)
        return caught.value.problems

    return refuse_text


@pytest.fixture
def only_body(read):
    """Read the content of one kinbody; return the body."""

    def body_of(content, attributes="", folder=None, **context):
        text = f'<kinbody name="k" {attributes}>{content}</kinbody>'
        return read(text, folder, **context).bodies[0]

    return body_of


@pytest.fixture
def saved():
    """Save one body; return what is lost, what is read back, and the body."""
    alive = []

    def save(body, path, **options):
        env = pyrave.Environment()
        env.add_scene(SceneDescription((body,)))
        losses = env.save(path, **options)
        again = pyrave.load(path)
        alive.extend((env, again))
        return losses, again.robots[0], env.bodies[0]

    return save
