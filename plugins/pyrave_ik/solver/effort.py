"""Time limits of a search for solutions, and its effort."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from pyrave.ik.results import as_timeout

NEAREST_SECONDS = 1.0
"""Most that a search for one solution takes where no timeout is given."""
ALL_SECONDS = 10.0
"""The same for a search for all solutions."""


class Clock:
    """The time that a search has.

    Parameters
    ----------
    timeout
        Seconds; None: the default. Only where it is given a search goes on until then,
        instead of ending with what is done for every goal.
    default
        Seconds without a timeout.
    """

    __slots__ = ("_begin", "goes_on", "seconds")

    def __init__(self, timeout: float | None, default: float) -> None:
        self.goes_on = timeout is not None
        self.seconds = default if timeout is None else as_timeout(timeout)
        self._begin = time.perf_counter()

    def restarted(self) -> Clock:
        """Return a clock that has all the time again."""
        return Clock(self.seconds if self.goes_on else None, self.seconds)

    @property
    def passed(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self._begin

    @property
    def left(self) -> float | None:
        """Seconds that are left of a given timeout, None without one."""
        return max(self.seconds - self.passed, 0.0) if self.goes_on else None

    @property
    def is_over(self) -> bool:
        """True if time ran out."""
        return self.passed >= self.seconds


@dataclass(slots=True)
class Effort:
    """Record of the attempts for one goal.

    Parameters
    ----------
    held
        Names of the joints that were held at values.
    values
        At how many values, or combinations of these.
    step
        The least step between values of the joint that was searched adaptively, radians
        or metres.
    unsure
        Values at which the loop may be singular, and was not solved.
    starts
        Numerical starts.
    position_error, rotation_error
        Metres and radians that these missed the goal by at best.
    stopped
        The combinations of values that there were where time or room ran out first; 0
        where it did not.
    seconds
        When time ran out; 0 where it did not.
    proof
        Why no joint values reach the goal; empty where that is not proven.
    """

    held: tuple[str, ...]
    values: int = 0
    step: float = math.inf
    unsure: int = 0
    starts: int = 0
    position_error: float = math.inf
    rotation_error: float = math.inf
    stopped: int = 0
    seconds: float = 0.0
    proof: str = field(default="")

    def reason(self, kind: str) -> str:
        """Return the reason for having no solution, as far as that is known.

        Parameters
        ----------
        kind
            Name of the kind of goals.
        """
        if self.proof:
            return f"no joint values reach this {kind}: {self.proof}"
        said = [f"no joint values were found that reach this {kind}"]
        names = ", ".join(self.held)
        if self.values:
            step = f", in steps down to {self.step:.2g}" if self.step < math.inf else ""
            said.append(f"{names} held at {self.values} values{step}")
        if self.starts:
            said.append(
                f"{self.starts} numerical starts missed it by "
                f"{self.position_error:.2g} m and {self.rotation_error:.2g} rad at best"
            )
        text = "; ".join(said)
        if self.seconds:
            text += f"; {self.limit}"
        return (
            f"{text}. That is no proof: a smaller step of the held joints, a longer "
            "timeout= or the value of free= may find some"
        )

    @property
    def limit(self) -> str:
        """Reason why the search ended early; empty if it did not."""
        if not self.seconds:
            return ""
        text = f"time ran out after {self.seconds:.3g} s"
        if self.stopped:
            text += f", at {self.values} of {self.stopped} combinations of values"
        return text
