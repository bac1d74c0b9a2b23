"""What the conformance kit found: immutable records that print as lessons."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Finding", "Outcome", "PluginCheckReport", "Report"]


class Outcome(enum.Enum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """It does not apply; the finding says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check.

    Parameters
    ----------
    check
        Name of the check, for example ``off-until-switched-on``.
    outcome
        How it ended.
    contract
        What the contract asks for, one sentence.
    seen
        What was seen instead, or why the check was skipped.
    fix
        What to do.
    where
        The method in question with its file and line.
    traceback
        Of the exception, if the interface's code raised one.
    """

    check: str
    outcome: Outcome
    contract: str
    seen: str = ""
    fix: str = ""
    where: str = ""
    traceback: str = field(default="", repr=False)

    def __str__(self) -> str:
        lines = [f"{self.outcome.value.upper():7} {self.check}: {self.contract}"]
        if self.outcome is Outcome.SKIPPED:
            lines.append(f"        because: {self.seen}")
        elif self.outcome is Outcome.FAILED:
            lines.append(f"        seen:    {self.seen}")
            if self.fix:
                lines.append(f"        fix:     {self.fix}")
            if self.where:
                lines.append(f"        look at: {self.where}")
            lines += (f"        | {line}" for line in self.traceback.splitlines())
        return "\n".join(lines)

    def to_dict(self) -> dict[str, str]:
        """Return the finding as JSON data."""
        return {
            "check": self.check,
            "outcome": self.outcome.value,
            "contract": self.contract,
            "seen": self.seen,
            "fix": self.fix,
            "where": self.where,
            "traceback": self.traceback,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All findings about one interface."""

    interface_type: str
    interface: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """True if nothing failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What failed."""
        return tuple(f for f in self.findings if f.outcome is Outcome.FAILED)

    @property
    def skipped(self) -> tuple[Finding, ...]:
        """What does not apply."""
        return tuple(f for f in self.findings if f.outcome is Outcome.SKIPPED)

    def __bool__(self) -> bool:
        return self.ok

    def __getitem__(self, check: str) -> Finding:
        """Return the finding of a check by name."""
        for finding in self.findings:
            if finding.check == check:
                return finding
        from pyrave.errors import NotFoundError

        raise NotFoundError("check", check, [f.check for f in self.findings])

    def __str__(self) -> str:
        good = len(self.findings) - len(self.failed) - len(self.skipped)
        head = (
            f"{self.interface_type} {self.interface!r}: {good} checks passed, "
            f"{len(self.failed)} failed, {len(self.skipped)} skipped"
        )
        reasons: dict[str, list[str]] = {}
        for finding in self.skipped:
            reasons.setdefault(finding.seen, []).append(finding.check)
        skipped = (
            f"SKIPPED {', '.join(names)}\n        because: {reason}"
            for reason, names in reasons.items()
        )
        return "\n".join([head, *map(str, self.failed), *skipped])

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            "interface_type": self.interface_type,
            "interface": self.interface,
            "ok": self.ok,
            "findings": [finding.to_dict() for finding in self.findings],
        }


@dataclass(frozen=True, slots=True)
class PluginCheckReport:
    """All findings about what a distribution or entry point offers.

    Parameters
    ----------
    name
        What was asked for.
    findings
        About the plugin itself: can it be imported, its hooks, readers, formats, data.
    interfaces
        One report per interface id.
    """

    name: str
    findings: tuple[Finding, ...]
    interfaces: tuple[Report, ...]

    @property
    def ok(self) -> bool:
        """True if nothing failed."""
        return not self.failed and all(self.interfaces)

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What failed about the plugin itself."""
        return tuple(f for f in self.findings if f.outcome is Outcome.FAILED)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        verdict = "conforms" if self.ok else "does not conform"
        lines = [f"plugin {self.name!r} {verdict}"]
        lines += map(str, self.findings)
        lines += map(str, self.interfaces)
        return "\n".join(lines)

    def to_dict(self) -> Mapping[str, Any]:
        """Return the report as JSON data."""
        return {
            "name": self.name,
            "ok": self.ok,
            "findings": [finding.to_dict() for finding in self.findings],
            "interfaces": [report.to_dict() for report in self.interfaces],
        }
