"""Exceptions and objects whose text fails, wherever a message would name them."""

import re
import sys

import pytest

import pyrave
from pyrave.cli import main
from pyrave.errors import error_text, error_trace, shown
from pyrave.plugins import Registry


class TextError(Exception):
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


class Exiting(BaseException):
    def __str__(self):
        raise SystemExit(7)

    __repr__ = __str__


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.mark.parametrize("kind", [TextError, Exiting])
def test_what_has_no_text_is_named_by_its_type(kind):
    error = kind("x")
    assert error_text(error) == f"{kind.__name__} whose text fails"
    assert kind.__name__ in error_trace(error)
    assert shown(error) == f"<{kind.__name__} whose repr() fails>"
    assert shown(10**5000) == "a huge number"


def test_keyboard_interrupts_of_a_text_are_the_user_s():
    class Interrupting:
        def __repr__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shown(Interrupting())


class Nameless(pyrave.ModuleBase):
    """An object of which neither text nor steps work."""

    contract = 1

    def main(self, args):
        return 0

    def simulation_step(self, dt):
        raise TextError

    def __repr__(self):
        raise TextError


def test_objects_whose_repr_fails_have_that_of_their_base(env):
    assert repr(Nameless(env)) == "<module Nameless 'Nameless'>"

    class Numbered(Nameless):
        def __repr__(self):
            return 3

    class Unprepared(pyrave.ModuleBase):
        contract = 1

        def __init__(self, env):
            self.text = repr(self)

        @property
        def name(self):
            raise TextError

        def main(self, args):
            return 0

    assert repr(Numbered(env)) == "<module Numbered 'Numbered'>"
    assert Unprepared(env).text == "<module Unprepared>"


def test_a_step_that_raises_what_has_no_text_disables_its_object(env):
    module = Nameless(env)
    env.add(module)
    env.step(0.01)
    env.step(0.01)
    assert module.disabled
    assert env.simulation_time == 0.02
    (problem,) = env.problems
    assert problem.message == (
        "<module Nameless 'Nameless'> is disabled: its simulation step raised: "
        "TextError whose text fails"
    )
    assert "test_objects_without_text.py" in problem.traceback


@pytest.mark.parametrize("name", ["TextError", "Exiting"])
@pytest.mark.parametrize(
    "source",
    ["raise {}",
     "import pyrave\n@pyrave.hookimpl\ndef pyrave_cli(): raise {}",
     "import pyrave\n@pyrave.hookimpl\ndef pyrave_cli(): return [{}]",
     "import pyrave\n@pyrave.hookimpl\ndef pyrave_cli(): return [('do', {})]",
     "import pyrave\n@pyrave.hookimpl\ndef pyrave_xml_readers(): return [({}, 1, 2)]"],
)  # fmt: skip
def test_listings_show_plugins_whose_errors_have_no_text(
    site, capsys, monkeypatch, name, source
):
    prefix = f"from {__name__} import {name}\n"
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Nameless.__module__])
    value = source.format(f"{name}()")
    groups = {"pyrave.plugins": {"textless": "textless_hooks"}}
    site.distribution("textless", groups, sources={"textless_hooks": prefix + value})
    monkeypatch.setattr("pyrave.plugins.registry._default", [Registry(disabled=())])
    for command in (["plugins"], ["doctor"], ["plugins", "--json"]):
        main(command)
        out = capsys.readouterr().out
        assert re.search(rf"textless.*{name}", out, re.DOTALL), command


def test_a_reader_without_text_is_reported(env):
    class Reader:
        def __call__(self, element, context):
            raise TextError

        def __repr__(self):
            raise TextError

    env.registry.register_xml_reader("kinbody", "note", Reader())
    report = env.load_string("<kinbody name='b'><body name='base'/><note/></kinbody>")
    (problem,) = report.problems
    assert "<Reader whose repr() fails> of <note> failed: TextError" in problem.message


def test_callbacks_without_text_are_reported(env):
    class Callback:
        def __call__(self, event):
            raise TextError

        def __repr__(self):
            raise TextError

    env.on_body(Callback())
    env.load_string("<kinbody name='b'><body name='base'/></kinbody>")
    (problem,) = env.problems
    assert "<Callback whose repr() fails> raised TextError" in problem.message
