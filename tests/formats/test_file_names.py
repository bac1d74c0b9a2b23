"""Names of other files in written files."""

import pytest

from pyrave.formats.output.file_names import FileNames
from pyrave.formats.resolver import Resolver


@pytest.fixture
def tree(tmp_path):
    data = tmp_path / "project/.venv/lib/site-packages/acme/data"
    for name in ("meshes/arm.stl", "robots/arm.xml"):
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "project/own.stl").touch()
    return tmp_path / "project", data


def names(folder, data):
    return FileNames(str(folder), Resolver(data_roots=[data], use_environment=False))


def test_a_data_folder_below_the_written_file_keeps_its_names(tree):
    project, data = tree
    found = names(project, data)
    assert found.name_of(str(data / "meshes/arm.stl")) == "meshes/arm.stl"
    assert found.name_of(str(project / "own.stl")) == "own.stl"


def test_files_in_a_data_folder_name_each_other_relative_to_themselves(tree):
    _, data = tree
    found = names(data / "robots", data)
    assert found.name_of(str(data / "meshes/arm.stl")) == "../meshes/arm.stl"


def test_a_name_that_means_another_file_there_is_not_written(tree):
    project, data = tree
    (project / "meshes").mkdir()
    (project / "meshes/arm.stl").touch()
    found = names(project, data).name_of(str(data / "meshes/arm.stl"))
    assert found == ".venv/lib/site-packages/acme/data/meshes/arm.stl"
