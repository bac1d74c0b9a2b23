"""The API as the module ``openravepy``."""

import subprocess
import sys
import types

import pytest

import pyrave
import pyrave_openravepy


def test_each_module_exists_once_under_both_names(openravepy):
    import openravepy as imported
    from openravepy.environment import environment

    import pyrave_openravepy.api.environment.environment as home

    assert imported is openravepy
    assert environment is home
    assert home.__name__ == home.__spec__.name
    assert sys.modules["openravepy.environment"].__spec__.name.startswith("pyrave_")


def test_a_real_openrave_is_not_replaced(monkeypatch):
    real = types.ModuleType("openravepy")
    real.__file__ = "/usr/lib/openravepy/__init__.py"
    monkeypatch.setitem(sys.modules, "openravepy", real)
    with pytest.raises(pyrave.StateError, match=r"/usr/lib/openravepy.*another proc"):
        pyrave_openravepy.install()


def test_beginnings_of_examples_run(openravepy):
    """OpenRAVE's examples, and scripts that grew out of them, begin so."""
    names: dict[str, object] = {}
    text = """
from openravepy import __build_doc__
if not __openravepy_build_doc__ and not __build_doc__:
    from openravepy import *
    from optparse import OptionParser
parser = OptionParser()
OpenRAVEGlobalArguments.addOptions(parser)
options, _ = parser.parse_args(["--collision=ode"])
"""
    exec(text, names)  # noqa: S102 - the text above
    assert names["options"]._collision == "ode"


def test_modules_that_are_not_there_are_not_found(openravepy):
    with pytest.raises(ModuleNotFoundError, match=r"openravepy\.nothing"):
        __import__("openravepy.nothing")


@pytest.mark.slow
def test_nothing_of_it_is_imported_otherwise():
    code = (
        "import sys, pyrave; env = pyrave.load('scenes/demo.env.xml');"
        "print([name for name in sys.modules if 'openravepy' in name])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
