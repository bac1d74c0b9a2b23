from __future__ import annotations

import pytest
from opened_viewers import opened

import pyrave


@pytest.fixture(scope="module")
def loaded():
    return pyrave.load("scenes/demo.env.xml")


@pytest.fixture
def env(loaded):
    return loaded.clone()


@pytest.fixture
def viewer(env):
    shown = opened(env)
    yield shown
    shown.close()
