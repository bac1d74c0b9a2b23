"""pytest fixtures and options; imports nothing of pyrave until they are used.

``--pyrave-conformance DIST`` (may be repeated) adds one test per interface and check
of a distribution or entry point. A test function with the fixture ``pyrave_check`` and
the mark ``pyrave_conformance("sensor", "MyLaser")`` runs once per check of that
interface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.environment import Environment
    from pyrave.testing.checks import Check
    from pyrave.testing.report import Finding

__all__: list[str] = []

_OPTION = "--pyrave-conformance"
_MARK = "pyrave_conformance"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line option."""
    parser.getgroup("pyrave").addoption(
        _OPTION,
        action="append",
        default=[],
        metavar="DIST",
        help="add a test per interface and check of this plugin",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line(
        "markers",
        f"{_MARK}(interface_type, 'Id args'): run a test with the fixture pyrave_check "
        "once per conformance check of the interface",
    )


@pytest.fixture
def pyrave_env() -> Environment:
    """Return a new, empty environment."""
    from pyrave.environment import Environment

    return Environment()


@pytest.fixture
def pyrave_scene() -> Callable[..., Environment]:
    """Return a function that makes an environment from a scene text.

    Keywords go to `Environment.load_string`; ``strict`` is True unless given. Without a
    text it is the kit's own scene.
    """

    def load(text: str | bytes | None = None, **options: Any) -> Environment:
        from pyrave.environment import Environment
        from pyrave.testing.scene import KIT_SCENE

        env = Environment()
        env.load_string(
            KIT_SCENE if text is None else text, **{"strict": True, **options}
        )
        return env

    return load


class ConformanceError(Exception):
    """A check of the conformance kit failed; its text is the finding."""


def _judge(finding: Finding) -> None:
    from pyrave.testing.report import Outcome

    if finding.outcome is Outcome.SKIPPED:
        pytest.skip(finding.seen)
    if finding.outcome is Outcome.FAILED:
        raise ConformanceError(str(finding))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give ``pyrave_check`` its values."""
    if "pyrave_check" not in metafunc.fixturenames:
        return
    from functools import partial

    from pyrave.testing.runner import checks_for

    values = []
    for mark in metafunc.definition.iter_markers(_MARK):
        kind, interface = mark.args
        values += [
            pytest.param(
                partial(_run, one, kind, interface), id=f"{kind}-{interface}-{one.name}"
            )
            for one in checks_for(kind)
        ]
    if not values:
        pytest.fail(
            f"{metafunc.function.__name__} uses pyrave_check: mark it with "
            f"@pytest.mark.{_MARK}('sensor', 'MyLaser')",
            pytrace=False,
        )
    metafunc.parametrize("pyrave_check", values)


def _run(check: Check, kind: str, interface: str) -> None:
    from pyrave.testing.runner import run_check

    _judge(run_check(check, kind, interface))


class ConformanceItem(pytest.Item):
    """One check of one interface."""

    def __init__(
        self, *, check: Check, kind: str, interface: str, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._check, self._kind, self._interface = check, kind, interface

    def runtest(self) -> None:
        """Run the check."""
        _run(self._check, self._kind, self._interface)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any
    ) -> Any:
        """Show the finding alone: the kit's own frames teach nothing."""
        if isinstance(excinfo.value, ConformanceError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return where the test is listed."""
        return self.path, None, self.name


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the tests that the option asks for."""
    names = config.getoption(_OPTION)
    if not names:
        return
    from pyrave.errors import NotFoundError
    from pyrave.testing.plugin_check import interfaces_of
    from pyrave.testing.runner import checks_for

    for name in names:
        try:
            interfaces = interfaces_of(name)
        except NotFoundError as error:
            raise pytest.UsageError(f"{_OPTION} {name}: {error}") from error
        for kind, one in interfaces:
            items += [
                ConformanceItem.from_parent(
                    session,
                    name=f"{name}[{kind}-{one}-{check.name}]",
                    check=check,
                    kind=kind,
                    interface=one,
                )
                for check in checks_for(kind)
            ]
