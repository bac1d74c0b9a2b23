"""Settings of the package, for scenes and users."""

from dataclasses import dataclass

from pyrave import setting


@dataclass(frozen=True)
class Settings:
    """What the ``<plugin>`` tag of a scene says."""

    label: str = setting("none", "is what reports begin with")
    most: int = setting(10, "reports", least=1)
