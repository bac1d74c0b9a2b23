"""Fixtures for tests of plugins; imports nothing of pyrave until they are used."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pyrave.environment import Environment

pytest.register_assert_rewrite(
    "pyrave.testing.contracts", "pyrave.testing.plugin_check"
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
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the contract and where to look to the report of a contract that failed."""
    report = yield
    contracts = sys.modules.get("pyrave.testing.contracts")
    if report.failed and contracts is not None and isinstance(item, pytest.Function):
        text: Any = report.longrepr
        instance = item.instance
        if isinstance(instance, contracts.InterfaceContract) and hasattr(
            text, "addsection"
        ):
            rule = inspect.getdoc(item.function) or ""
            place = instance.location(item.function)
            text.addsection("contract", f"{rule}\nlook at: {place}\n")
    return report
