"""A run of ``openrave.py`` without a script: an environment for files and a shell."""

from __future__ import annotations

import time
from typing import Any

from pyrave.errors import ArgumentError, ResourceError
from pyrave_openravepy.installation import install
from pyrave_openravepy.scripts.conversion import convert_script
from pyrave_openravepy.scripts.options import Options
from pyrave_openravepy.scripts.parts import make_part
from pyrave_openravepy.scripts.running.interrupts import EXIT_CODE, script_interrupts
from pyrave_openravepy.scripts.running.old_builtins import script_builtins
from pyrave_openravepy.scripts.running.prompts import open_shell

__all__ = ["run_session"]

_CODE = "<pythoncmd>"
_PAUSE = 0.1
_SHELL = "env, robots and robot are there, and all of openravepy; Ctrl-D ends it"


def run_session(options: Options) -> int:
    """Load files into an environment, run the code, and let the user look around.

    Without code and shell it goes on until Ctrl-C if there is a viewer or a server, and
    ends at once if there is none.

    Raises
    ------
    ArgumentError
        A part has no such id, or the code is wrong.
    ResourceError
        A file is not there, or is no scene.
    """
    api: Any = install()
    env = api.Environment()
    try:
        _prepare(api, env, options)
        with script_interrupts():
            return _use(api, env, options)
    except KeyboardInterrupt:
        return EXIT_CODE
    finally:
        env.Destroy()
        api.RaveDestroy()


def _prepare(api: Any, env: Any, options: Options) -> None:
    if options.level:
        api.RaveSetDebugLevel(_level(api, options.level))
    for name in options.plugins:
        if not api.RaveLoadPlugin(name):
            raise ArgumentError(f"--loadplugin {name}: there is no such plugin")
    for file in options.files:
        if not env.Load(file):
            raise ResourceError(file, hint="it was not loaded; the log says why")
    modules = list(options.modules)
    if options.server:
        modules.append((options.server, str(options.port)))
    for name, arguments in modules:
        module = make_part(api.RaveCreateModule, env, "module", name)
        if env.Add(module, True, arguments):
            raise ArgumentError(f"--module {name} {arguments}: it did not start")
    if options.viewer and not options.test_mode and not env.SetViewer(options.viewer):
        raise ArgumentError(f"--viewer {options.viewer}: it did not open")


def _level(api: Any, text: str) -> Any:
    if text.isdigit():
        return int(text)
    level = getattr(api.DebugLevel, text.capitalize(), None)
    if level is None:
        raise ArgumentError(
            f"--level {text}: expected fatal, error, warn, info, debug, verbose, 0 to 5"
        )
    return level


def _use(api: Any, env: Any, options: Options) -> int:
    robots = env.GetRobots()
    names = {
        **{name: getattr(api, name) for name in _star(api)},
        "openravepy": api,
        "env": env,
        "robots": robots,
        "robot": robots[0] if robots else None,
    }
    if options.code:
        script = convert_script(options.code, _CODE)
        names["__builtins__"] = script_builtins(converted=script.is_converted)
        exec(script.compile(), names)  # noqa: S102 - what is asked for
    if options.shell:
        open_shell(names, _SHELL)
    elif not options.code and not options.test_mode:
        while options.viewer or options.server:
            time.sleep(_PAUSE)
    return 0


def _star(api: Any) -> list[str]:
    return list(api.__all__)
