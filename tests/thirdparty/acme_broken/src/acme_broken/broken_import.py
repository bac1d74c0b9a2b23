"""A module that needs a package which is not there."""

from __future__ import annotations

import acme_package_that_nobody_wrote  # noqa: F401
