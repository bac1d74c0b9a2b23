"""Processes of all tests, where kernels compile, and garbage collection."""

import gc
import os
import re

import pytest
from hypothesis import HealthCheck, settings

# Other processes compile for users, who wait for one answer. Tests ask for thousands on
# the same cores: there, interpreting meanwhile takes longer.
os.environ.setdefault("PYRAVE_COMPILE", "foreground")

# a kernel may compile in an example, and a machine may have other work
settings.register_profile(
    "pyrave",
    settings.default,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("pyrave")

_SUBJECT = (
    r"tests/(?:plugins/(?:test_)?|cli/test_cli_|acceptance/test_openrave_)([a-z0-9]+)"
)
_FILE = re.compile(r"\.py(::|$)")
"""An argument that names a file, or a test in it."""


@pytest.fixture(autouse=True, scope="module")
def _collecting_is_quick():
    """Keep what tests and libraries are made of, millions of objects, from `gc`.

    Else each of the tests that ask what is left of an object takes half a second.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Do not look for garbage while what is collected is kept: a tenth of that time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Test in as many processes as there are cores, unless options say otherwise.

    With fewer than three cores in one more: tests wait for what they start.
    Single files and tests stay in one process, where debuggers and output are at hand,
    and so does everything with ``-n 0``, ``--pdb`` or ``-p no:xdist``.
    """
    if (
        config.pluginmanager.hasplugin("xdist")
        and not hasattr(config, "workerinput")
        and config.option.numprocesses is None
        and config.option.dist == "no"
        and not config.option.usepdb
        and not all(_FILE.search(argument) for argument in config.args)
    ):
        cores = os.cpu_count() or 1
        config.option.numprocesses = "logical" if cores > 2 else cores + 1
        config.option.dist = "loadscope"
        # in the order of files, so that what is longest does not begin last
        config.option.loadscopereorder = False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Have one worker test all of inverse kinematics, one all of collisions, and so on.

    Kernels have parts in common, which each process that compiles some goes through
    once. So modules share a worker if what they test begins with one word: that of
    plugins, and of commands and of OpenRAVE's scenes that need the same kernels.
    """
    if config.getoption("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByPlugin(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            found = re.match(_SUBJECT, nodeid)
            return found[1] if found else super()._split_scope(nodeid)

    return ByPlugin(config, log)
