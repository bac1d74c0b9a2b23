"""What a distribution's metadata demands of pyrave's version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ON_PYRAVE = re.compile(r"\s*pyrave(?![\w.-]*\w)", re.IGNORECASE)


def normalize_name(name: str) -> str:
    """Return a distribution's name in lower case with ``-`` as the only separator."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def unmet_requirement(requires: Iterable[str], version: str) -> str | None:
    """Return the first requirement on pyrave that `version` does not meet, or None.

    Parameters
    ----------
    requires
        Values of ``Requires-Dist`` such as ``"pyrave>=0.1,<2"``. One that is malformed
        or gives an address is left to the installer.
    version
        The version at hand.
    """
    return next((one.strip() for one in requires if _is_unmet(one, version)), None)


def _is_unmet(line: str, version: str) -> bool:
    if not _ON_PYRAVE.match(line):
        return False
    # late: most processes meet no plugin that is not pyrave's own
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        return False
    marker = requirement.marker
    if marker is not None and not marker.evaluate({"extra": ""}):
        return False
    return not requirement.specifier.contains(version, prereleases=True)
