"""The documentation site builds without a warning."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_site_builds(tmp_path):
    pytest.importorskip("sphinx")
    command = [
        *(sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"),
        *("-d", str(tmp_path / "doctrees"), str(_DOCS), str(tmp_path / "html")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "html" / "index.html").is_file()
    page = (tmp_path / "html" / "reference" / "openrave-xml.html").read_text("utf-8")
    assert "limitsdeg" in page
