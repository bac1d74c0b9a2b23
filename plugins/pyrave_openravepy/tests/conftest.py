"""The API under test, as ``openravepy``."""

import pytest

import pyrave_openravepy


@pytest.fixture(scope="session")
def openravepy():
    return pyrave_openravepy.install()
