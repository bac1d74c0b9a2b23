"""Files that are read whole: folders and what is no file are refused, and closed."""

from pathlib import Path

import pytest

from pyrave.files import read_file, write_new_file

_OPEN = Path("/proc/self/fd")


@pytest.mark.skipif(not _OPEN.is_dir(), reason="only Linux says what is open")
def test_a_folder_is_refused_by_name_and_leaves_nothing_open(tmp_path):
    before = len(list(_OPEN.iterdir()))
    for _ in range(5):
        with pytest.raises(OSError, match="it is no file") as caught:
            read_file(tmp_path, 10)
        assert caught.value.filename == str(tmp_path)
    assert len(list(_OPEN.iterdir())) == before


def test_a_new_file_takes_the_place_of_nothing(tmp_path):
    assert write_new_file(tmp_path / "a", b"1")
    assert not write_new_file(tmp_path / "a", b"2")
    assert not write_new_file(tmp_path, b"2")
    assert (tmp_path / "a").read_bytes() == b"1"
