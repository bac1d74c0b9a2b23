"""Fixtures for tests of plugins; imports nothing of pyrave until they are used."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pyrave.environment import Environment

_OUTCOMES = pytest.StashKey[dict[type, Any]]()

pytest.register_assert_rewrite("pyrave.testing.contracts")


@pytest.fixture
def pyrave_env() -> Environment:
    """Return a new, empty environment."""
    from pyrave.environment import Environment

    return Environment()


@pytest.fixture
def pyrave_scene() -> Callable[..., Environment]:
    """Return a function that makes an environment from a scene text.

    Keywords go to `Environment.load_string`; ``strict`` is True unless given. Without a
    text it is `KIT_SCENE`.
    """

    def load(text: str | bytes | None = None, **options: Any) -> Environment:
        from pyrave.environment import Environment
        from pyrave.testing.scene import KIT_SCENE

        env = Environment()
        scene = KIT_SCENE if text is None else text
        env.load_string(scene, **{"strict": True, **options})
        return env

    return load


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Run a test of a contract within its time, and say each failure once."""
    contract = _contract(pyfuncitem)
    if contract is None:
        return (yield)
    from pyrave.testing.outcomes import Outcomes

    known = pyfuncitem.config.stash.setdefault(_OUTCOMES, {})
    outcomes = known.setdefault(type(contract), Outcomes(contract.time_limit))
    function, before = pyfuncitem.obj, contract.failures
    pyfuncitem.obj = outcomes.limited(function)
    try:
        result = yield
        _assert_nothing_caught(contract, before)
    except (Exception, SystemExit) as error:
        same = outcomes.same_as_before(pyfuncitem.name, error)
        if same:
            pytest.skip(f"fails as {same} does")
        raise
    finally:
        pyfuncitem.obj = function
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the contract and where to look to the report of a contract that failed."""
    report = yield
    contract, text = _contract(item), cast("Any", report.longrepr)
    if report.failed and hasattr(contract, "location") and hasattr(text, "addsection"):
        function = cast("pytest.Function", item).function
        rule, place = inspect.getdoc(function) or "", contract.location(function)
        text.addsection("contract", f"{rule}\nlook at: {place}\n")
    return report


def _assert_nothing_caught(contract: Any, before: tuple[Any, ...]) -> None:
    """Fail a test in which code of the plugin raised and somebody caught it."""
    known = {id(one) for one in before}
    new = [one for one in contract.failures if id(one) not in known]
    text = "\n".join(f"{one.what}: {one.message}\n{one.traceback}" for one in new)
    if new:
        raise AssertionError(text)


def _contract(item: pytest.Item) -> Any:
    """Return the contract whose test this is, or None."""
    # who tests no contract imports none
    contracts = sys.modules.get("pyrave.testing.contracts")
    instance = getattr(item, "instance", None)
    ours = contracts is not None and isinstance(instance, contracts.Contract)
    return instance if ours else None
