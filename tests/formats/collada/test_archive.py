"""Zipped COLLADA: what the manifest names is read, other archives are refused."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest
from collada_documents import Robot

import pyrave
from pyrave import SceneError
from pyrave_collada.document.archive import ArchiveLimits, read_archive

MANIFEST = "<dae_root>./robot.dae</dae_root>"
ENTRY = b"PK\x01\x02"  # of the directory, behind the files


def archive(manifest=MANIFEST, **files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as found:
        if manifest is not None:
            found.writestr("manifest.xml", manifest)
        for name, text in (files or {"robot": str(Robot())}).items():
            found.writestr(f"{name}.dae", text)
    return stream.getvalue()


def patched(at, value, *, everywhere=True):
    """Return an archive with a number of each entry changed, here and there."""
    data = bytearray(archive())
    place = data.find(ENTRY)
    while place >= 0:
        data[place + at : place + at + 2] = value.to_bytes(2, "little")
        place = data.find(ENTRY, place + 1)
    place = data.find(b"PK\x03\x04") if everywhere else -1
    while place >= 0:
        data[place + at - 2 : place + at] = value.to_bytes(2, "little")
        place = data.find(b"PK\x03\x04", place + 1)
    return bytes(data)


def refused(data, limits=None):
    with pytest.raises(SceneError) as caught:
        read_archive(data, "robot.zae", limits)
    (problem,) = caught.value.problems
    assert problem.code == "bad-archive"
    assert problem.file == "robot.zae"
    return problem.message


def test_an_archive_is_a_scene(tmp_path):
    path = tmp_path / "robot.zae"
    path.write_bytes(archive())
    (robot,) = pyrave.read(path).bodies
    assert robot.name == "rover"
    assert robot.location.file == f"{path}!robot.dae"


@pytest.mark.parametrize(
    ("manifest", "name", "fragment"),
    [
        (MANIFEST, "robot.dae", ""),
        ("<dae_root> robot.dae#arm </dae_root>", "robot.dae", "arm"),
        ("<dae_root>./other.dae</dae_root>", "other.dae", ""),
    ],
)
def test_the_manifest_names_the_document(manifest, name, fragment):
    found = read_archive(archive(manifest, robot="1", other="2"), "robot.zae")
    assert (found.name, found.fragment) == (name, fragment)
    assert found.data == (b"1" if name == "robot.dae" else b"2")


@pytest.mark.parametrize("manifest", [None, "<dae_root>gone.dae</dae_root>"])
def test_one_document_needs_no_manifest(manifest):
    assert read_archive(archive(manifest, arm="1"), "robot.zae").name == "arm.dae"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (archive(None, one="", two=""), "has no manifest.xml and 2 .dae files"),
        (archive("<dae_root>x</dae_root>", one="", two=""), "names 'x', which is not"),
        (archive()[:-30], "not a readable zip archive"),
        (b"PK\x03\x04", "not a readable zip archive"),
        (patched(6, 255, everywhere=False), "zip file version 25.5"),
        (patched(8, 1), "is encrypted"),
        (patched(10, 77), "compression method is not supported"),
        (archive().replace(b"PK\x03\x04", b"PK\x03\x05"), "cannot be unpacked"),
    ],
    ids=["no manifest", "gone", "cut", "empty", "new", "locked", "packed", "damaged"],
)
def test_other_archives_are_refused_in_words(data, words):
    assert words in refused(data)


def test_archives_unpack_to_bounded_sizes():
    bomb = archive(robot=" " * 3_000_000)
    said = refused(bomb, ArchiveLimits(ratio=100))
    assert said.startswith("'robot.dae' in the archive unpacks to 3000000 bytes, at ")
    assert "100 times its packed size" in said
    assert "at most 10000 are read" in refused(bomb, ArchiveLimits(file_bytes=10_000))


def test_a_bomb_is_refused_before_it_is_unpacked():
    bomb = archive(robot=" " * 300_000_000)
    assert len(bomb) < 400_000
    tracemalloc.start()
    try:
        assert "unpacks to 300000000 bytes" in refused(bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * len(bomb)


def test_a_header_that_claims_less_gets_no_more():
    honest = archive(robot=" " * 100_000)
    size = (100_000).to_bytes(4, "little")
    assert honest.count(size) == 2
    lying = honest.replace(size, (10).to_bytes(4, "little"))
    assert "cannot be unpacked" in refused(lying)


def test_archives_have_a_bounded_number_of_files():
    many = {f"f{i}": "" for i in range(10_001)}
    assert "10001 files, at most 10000" in refused(archive(None, **many))
