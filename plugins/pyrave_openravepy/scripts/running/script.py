"""A script as the main program of the process."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType

from pyrave_openravepy.scripts.conversion import convert_script, read_script
from pyrave_openravepy.scripts.running.failures import show_failure
from pyrave_openravepy.scripts.running.interrupts import EXIT_CODE, script_interrupts
from pyrave_openravepy.scripts.running.old_builtins import script_builtins
from pyrave_openravepy.scripts.running.own_modules import OwnModules

__all__ = ["run_script"]


def run_script(path: str, arguments: Sequence[str]) -> int:
    """Run a script as ``python SCRIPT`` does, and return its exit code.

    It is ``__main__``, has ``sys.argv``, and finds what lies in its folder; so do the
    modules that it imports from there. The process is the script's afterwards.

    Raises
    ------
    ResourceError
        There is no such file.
    ScriptSyntaxError
        It is neither Python 3 nor Python 2; nothing of it has run.
    SystemExit
        The script ended itself.
    """
    script = convert_script(read_script(path), path)
    code = script.compile()
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120 - as Python does
    sys.argv[:] = [path, *arguments]
    if sys.flags.safe_path or not sys.path:
        sys.path.insert(0, folder)
    else:
        # what Python put there for the program that runs the script
        sys.path[0] = folder
    sys.meta_path.insert(0, OwnModules(folder))
    main = ModuleType("__main__")
    vars(main).update(
        __builtins__=script_builtins(converted=script.is_converted),
        __cached__=None,
        __file__=path,
    )
    sys.modules["__main__"] = main
    if script.is_converted and not sys.warnoptions:
        # nobody will change what worked in 2010
        warnings.filterwarnings("ignore", "", DeprecationWarning, "__main__")
    try:
        with script_interrupts():
            exec(code, vars(main))  # noqa: S102 - what is asked for
    except KeyboardInterrupt:
        return EXIT_CODE
    except Exception as error:  # noqa: BLE001 - shown as Python shows it
        show_failure(error)
        return 1
    return 0
