"""The second wheel, which makes ``import openravepy`` work by itself."""

import zipfile

import pytest

pytestmark = pytest.mark.slow

SCRIPT = """
import openravepy
from openravepy.environment.environment import Environment
from openravepy import Environment as same

env = Environment()
loaded = env.Load("scenes/demo.env.xml")
result = [openravepy.__name__, Environment is same, loaded, len(env.GetBodies())]
"""


@pytest.fixture(scope="module")
def compatible_venv(wheels, new_venv):
    made = new_venv("compatible")
    made.install(wheels["pyrave"], wheels["pyrave-openravepy"])
    return made


def test_it_holds_one_module(wheels):
    with zipfile.ZipFile(wheels["pyrave-openravepy"]) as archive:
        code = [one for one in archive.namelist() if "dist-info" not in one]
    assert code == ["openravepy/__init__.py"]


def test_the_main_wheel_hides_no_real_openrave(wheels):
    with zipfile.ZipFile(wheels["pyrave"]) as archive:
        assert not [one for one in archive.namelist() if one.startswith("openravepy")]


def test_scripts_import_openravepy(compatible_venv):
    found = compatible_venv.run(SCRIPT)
    assert found == ["pyrave_openravepy.api", True, True, 12]
