"""Geometry of sensors: all that is set about one, whatever it measures."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Self

from pyrave.cards import in_line
from pyrave.interfaces.settings.declarations import setting, settle
from pyrave.interfaces.state_copies import Immutable
from pyrave.records import Record

if TYPE_CHECKING:
    from pyrave.scene import Readable

_LAST_SEED = 2**63


@dataclass(frozen=True, repr=False)
class SensorGeometry(Record, Immutable):
    """Settings of a sensor, which say what it is like, in SI units and radians.

    A subclass, a frozen dataclass too, declares more of them with `pyrave.setting`; a
    sensor names it in its `settings_type`. It cannot be changed, its arrays neither:
    `change_settings` of a sensor takes other values, ``dataclasses.replace`` makes
    another geometry.

    Parameters
    ----------
    color
        Red, green, blue 0 to 1 of drawn data.
    power
        True switches the sensor on, False off; None says neither.
    hardware_id
        A text of the user's own.
    seed
        Start of the noise.

    Raises
    ------
    ArgumentError
        A value is of another type than its setting declares, or out of range.
    """

    in_elements: ClassVar[bool] = False
    """True if files say it in elements (`to_readable`); False: in words at the id."""

    color: tuple[float, float, float] = setting(
        (0.5, 0.5, 1.0), "of drawn data", least=0.0, most=1.0, example="1 0 0"
    )
    power: bool | None = setting(None, "1 switches the sensor on", example="1")
    hardware_id: str = setting("", "a text of your own", example="camera-0017")
    seed: int = setting(0, "start of the noise", least=0, most=_LAST_SEED, example="1")

    def __post_init__(self) -> None:
        settle(self)

    def check(self) -> None:
        """Raise ArgumentError for values that make no sense together; none here."""

    @classmethod
    def from_readable(cls, _readable: Readable) -> Self | None:
        """Return the geometry that a readable of a file says; None if it says none."""
        return None

    def to_readable(self, interface: str, known: Readable | None) -> Readable:
        """Return a readable that says this geometry, for those `in_elements`.

        Parameters
        ----------
        interface
            The id of the sensor.
        known
            What said the geometry until now.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        said = {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if not item.name.endswith("covariance")
        }
        return in_line(type(self).__name__, said)
