"""The gains, as data of a scene."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pyrave import Readable, XmlElement

_GAINS = ("pgains", "igains", "dgains")


@dataclass(frozen=True)
class PidData(Readable):
    """``<piddata name="..." rate="..."><pgains>..</pgains> ..</piddata>``.

    Gains per controlled joint, in 1/s2, 1/s3 and 1/s; one number serves all joints.
    """

    name: str = ""
    rate: float = 1000.0
    pgains: tuple[float, ...] = (100.0,)
    igains: tuple[float, ...] = (0.0,)
    dgains: tuple[float, ...] = (20.0,)

    def to_xml(self) -> XmlElement:
        """Return the tag that it was read from."""
        return XmlElement(
            "piddata",
            (("name", self.name), ("rate", repr(self.rate))),
            children=tuple(
                XmlElement(tag, text=" ".join(map(repr, getattr(self, tag))))
                for tag in _GAINS
            ),
        )


def read_piddata(element: Any, context: Any) -> PidData | None:
    """Read the tag; every mistake is reported with its place."""
    values: dict[str, Any] = {"name": element.get("name", "")}
    good = True
    rate = _numbers(element.get("rate", "1000"))
    if len(rate) != 1 or not rate[0] > 0:
        context.error(f"rate is {element.get('rate')!r}, expected hertz", element)
        good = False
    else:
        values["rate"] = rate[0]
    for child in element:
        tag = str(child.tag).lower()
        if tag not in _GAINS:
            context.warn(f"<piddata> has no <{tag}>, only {', '.join(_GAINS)}", child)
            continue
        gains = _numbers(child.text)
        if not gains or min(gains) < 0:
            context.error(f"<{tag}> is {child.text!r}, expected gains >= 0", child)
            good = False
        values[tag] = gains
    return PidData(**values) if good else None


def _numbers(text: str | None) -> tuple[float, ...]:
    """Return the numbers of a text; none if there is a mistake in it."""
    try:
        found = tuple(map(float, (text or "").split()))
    except ValueError:
        return ()
    return found if all(map(math.isfinite, found)) else ()
