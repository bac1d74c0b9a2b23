"""The API under test, as ``openravepy``."""

import pytest

import pyrave_openravepy


@pytest.fixture(scope="session")
def openravepy():
    return pyrave_openravepy.install()


@pytest.fixture
def env(openravepy):
    """An environment that nobody steps, gone after the test."""
    from openravepy.environment.options import options

    before = options.simulation_thread, options.web_viewer
    options.simulation_thread = options.web_viewer = False
    env = openravepy.Environment()
    yield env
    env.Destroy()
    options.simulation_thread, options.web_viewer = before
