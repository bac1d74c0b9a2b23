"""The text of a script as Python 3, with the lines that it had."""

from __future__ import annotations

from pyrave_openravepy.scripts.conversion.converted import (
    ConvertedScript,
    convert_script,
)
from pyrave_openravepy.scripts.conversion.errors import ScriptSyntaxError
from pyrave_openravepy.scripts.conversion.source import read_script

__all__ = ["ConvertedScript", "ScriptSyntaxError", "convert_script", "read_script"]
