"""Running the checks of an interface type."""

from __future__ import annotations

import importlib
import linecache
import traceback
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyrave.plugins.contracts import resolve_type
from pyrave.testing.checks import Check, NotApplicable, Violation, checks_in
from pyrave.testing.report import Finding, Outcome, Report
from pyrave.testing.subject import CreationFailedError, Interface, Subject

if TYPE_CHECKING:
    from pyrave.environment import Environment

__all__ = ["assert_conforms", "check_interface", "checks_for", "run_check"]

_KIT = "pyrave.testing."
# without it no other check has anything to work on
_FIRST = "loads"

_COPIED = {
    "sensor",
    "controller",
    "module",
    "physicsengine",
    "collisionchecker",
    "kinbody",
    "robot",
}


def checks_for(interface_type: str) -> tuple[Check, ...]:
    """Return the checks of a type: those of all interfaces, then its own.

    Raises
    ------
    ArgumentError
        There is no such type.
    """
    kind = resolve_type(interface_type)
    names = ["common"]
    if kind in _COPIED:
        names.append("cloning")
    if kind == "robot":
        names.append("kinbody")
    names.append(kind)
    if kind == "sensor":
        names.append("sensing")
    modules = (importlib.import_module(f"{__package__}.suites.{n}") for n in names)
    return tuple(check for module in modules for check in checks_in(module))


def run_check(
    check: Check,
    interface_type: str,
    interface: Interface,
    *,
    env: Environment | None = None,
    setup: Callable[[Any], object] | None = None,
) -> Finding:
    """Run one check in an environment of its own; see `check_interface`."""
    subject = Subject(resolve_type(interface_type), interface, env, setup)
    try:
        with warnings.catch_warnings():
            # the kit's scene has no checker, and that is no fault of what is tested
            warnings.filterwarnings("ignore", "no collision checker is installed")
            check(subject)
    except NotApplicable as reason:
        return Finding(check.name, Outcome.SKIPPED, check.contract, str(reason))
    except CreationFailedError:
        return Finding(
            check.name,
            Outcome.SKIPPED,
            check.contract,
            "the interface cannot be created",
        )
    except Violation as violation:
        return Finding(
            check.name,
            Outcome.FAILED,
            check.contract,
            violation.seen,
            violation.fix,
            subject.location(check.method),
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - what is tested may raise anything
        return Finding(
            check.name,
            Outcome.FAILED,
            check.contract,
            f"{type(error).__name__}: {error}",
            f"raised by {_raiser(error)}; the contract foresees no exception here",
            subject.location(check.method),
            "".join(traceback.format_exception(_without_kit(error))),
        )
    return Finding(check.name, Outcome.PASSED, check.contract)


def _without_kit(error: BaseException) -> BaseException:
    """Cut the kit's own frames off the beginning of the traceback."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        if not trace.tb_frame.f_globals.get("__name__", "").startswith(_KIT):
            break
        trace = trace.tb_next
    return error.with_traceback(trace)


def _raiser(error: BaseException) -> str:
    """Return the line that raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = (frame.line or linecache.getline(frame.filename, frame.lineno or 0)).strip()
    return f"{frame.filename}:{frame.lineno} ({line})"


def check_interface(
    interface_type: str,
    interface: Interface,
    *,
    env: Environment | None = None,
    setup: Callable[[Any], object] | None = None,
    only: Iterable[str] = (),
) -> Report:
    """Check an interface against the contract that environments rely on.

    Parameters
    ----------
    interface_type
        One of the 13 types.
    interface
        ``"Id args"`` as for ``env.create``, or a class or factory.
    env
        A scene to test in; every check works on a clone of it. None is a small scene
        of the kit's own (`KIT_SCENE`).
    setup
        Called with each new object before it is tested.
    only
        Names of checks to run; empty is all.

    Returns
    -------
    Report
        True if nothing failed. Nothing is raised for what the interface does.
    """
    wanted = set(only)
    findings: list[Finding] = []
    for check in checks_for(interface_type):
        if wanted and check.name not in wanted:
            continue
        if (
            findings
            and findings[0].check == _FIRST
            and findings[0].outcome is Outcome.FAILED
        ):
            reason = f"{_FIRST!r} failed: there is nothing to check"
            findings.append(
                Finding(check.name, Outcome.SKIPPED, check.contract, reason)
            )
            continue
        findings.append(
            run_check(check, interface_type, interface, env=env, setup=setup)
        )
    name = interface if isinstance(interface, str) else interface.__name__
    return Report(resolve_type(interface_type), name, tuple(findings))


def assert_conforms(
    interface_type: str,
    interface: Interface,
    *,
    env: Environment | None = None,
    setup: Callable[[Any], object] | None = None,
) -> None:
    """Raise an AssertionError with the report unless an interface keeps its contract.

    See `check_interface` for the parameters.
    """
    report = check_interface(interface_type, interface, env=env, setup=setup)
    if not report.ok:
        raise AssertionError(str(report))
