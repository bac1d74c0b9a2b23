"""The recipe of an image on the page of kernels, as far as there is no engine."""

from __future__ import annotations

import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="it is for Linux"),
]

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "kernels.md"
_PIP = """#!/bin/sh
test "$1" = install && shift
exec {python} -m pip --python {venv} install --quiet --no-deps --no-index "$@"
"""


def test_commands_of_the_recipe_warm_what_any_user_can_read(new_venv, wheels, tmp_path):
    made = new_venv("image")
    pip = made.bin / "pip"
    pip.write_text(_PIP.format(python=sys.executable, venv=made.python))
    pip.chmod(0o755)
    (recipe,) = re.findall(
        r"```dockerfile\n(.*?)```", _PAGE.read_text("utf-8"), re.DOTALL
    )
    # what is in the image's own folder is in one of this test
    text = recipe.replace("/opt/", f"{tmp_path}/")
    environ = {**made.environ, "PATH": f"{made.bin}:/usr/bin:/bin"}
    del environ["PYRAVE_CACHE_DIR"]
    seen = []
    for line in text.splitlines():
        instruction, _, rest = line.partition(" ")
        seen.append(instruction)
        if instruction in {"ARG", "ENV"}:
            name, value = shlex.split(rest)[0].split("=")
            environ[name] = "rays.to_bytes" if instruction == "ARG" else value
        elif instruction == "COPY":
            pattern, target = rest.split()
            wheel = wheels["pyrave"]
            assert wheel.match(pattern)
            Path(target).mkdir(parents=True)
            Path(target, wheel.name).write_bytes(wheel.read_bytes())
        elif instruction == "RUN":
            subprocess.run(["sh", "-ec", rest], check=True, env=environ, cwd=tmp_path)
    assert seen == ["FROM", "ARG", "ENV", "COPY", "RUN", "RUN", "USER"]
    cache = tmp_path / "pyrave" / "cache"
    entries = list(cache.rglob("*.code"))
    assert entries
    for path in (cache, entries[0].parent, entries[0]):
        mode = path.stat().st_mode
        assert mode & stat.S_IROTH, path
        assert not mode & (stat.S_IWOTH | stat.S_IWGRP), path
