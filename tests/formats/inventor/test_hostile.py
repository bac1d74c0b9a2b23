"""Files that ask for far more than they hold: refused, quickly, in bounded memory."""

import contextlib
import gzip
import time
import tracemalloc
import zlib

import pytest

from pyrave.errors import SceneError
from pyrave.formats import MeshSource
from pyrave_inventor.formats import INVENTOR

HEAD = "#Inventor V2.1 ascii\n"
HEAD_97 = "#VRML V2.0 utf8\n"
SECONDS = 60
"""Far above what any of these takes on a busy machine, far below what it asks for."""


def refused(data, message):
    data = data.encode() if isinstance(data, str) else data
    start = time.process_time()
    with pytest.raises(SceneError, match=message) as caught:
        INVENTOR.read(MeshSource(data, "a.iv"))
    assert time.process_time() - start < SECONDS
    return caught.value


def bomb(leaf, levels, width=2):
    text = f"DEF a0 Separator {{ {leaf} }}"
    for level in range(levels):
        uses = f" USE a{level}" * width
        text += f" DEF a{level + 1} Separator {{ {uses} }}"
    return HEAD + text


def test_nodes_used_again_and_again():
    error = refused(bomb("", 60), "used more than 500 thousand times")
    assert error.first.code == "file-too-large"


def test_triangles_used_again_and_again():
    quads = (
        "Coordinate3 { point [ 0 0 0, 1 0 0, 0 1 0 ] } IndexedFaceSet { coordIndex [ "
    )
    quads += "0 1 2 -1 " * 20_000 + "] }"
    refused(bomb(quads, 40), "more than 5 million triangles")


def test_corners_without_triangles_used_again_and_again():
    faces = "Coordinate3 { point [ 0 0 0 ] } IndexedFaceSet { coordIndex [ "
    faces += "0 -1 " * 50_000 + "] }"
    refused(bomb(faces, 40), "more than 30 million corners")


def test_grids_of_copies():
    copies = (
        "Array { numElements1 32767 numElements2 32767 numElements3 32767"
        " Separator { } }"
    )
    refused(HEAD + copies, "used more than 500 thousand times")
    inner = "Cube { }"
    for _ in range(8):
        inner = f"Array {{ numElements1 100 {inner} }}"
    refused(HEAD + inner, "more than 500 thousand times|more than 5 million triangles")


@pytest.mark.parametrize("opening", ["Separator { ", "Gadget { ", "Cube { width = "])
def test_deep_nesting(opening):
    body = opening * 50_000 + "}" * 50_000
    refused(HEAD + body, "nested deeper than 100")


def test_deep_nesting_of_vrml_97():
    refused(HEAD_97 + "Group { children [ " * 100_000, "nested deeper than 100")
    closed = "Group { children " * 50_000 + "NULL" + " }" * 50_000
    refused(HEAD_97 + closed, "nested deeper than 100")


def test_nodes_that_say_what_they_are_are_read_once():
    inner = ""
    for level in range(98):
        inner = f'N{level} {{ fields [ ] isA "Group" {inner} }}'
    start = time.process_time()
    INVENTOR.read(MeshSource((HEAD + inner).encode()))
    assert time.process_time() - start < SECONDS


def test_nesting_over_included_files(tmp_path):
    for k in range(12):
        (tmp_path / f"{k}.iv").write_text(
            HEAD + "Separator { " * 9 + f'File {{ name "{k + 1}.iv" }}' + "}" * 9
        )
    (tmp_path / "12.iv").write_text(HEAD + "Cube { }")
    with pytest.raises(SceneError, match="nested deeper than 100"):
        INVENTOR.read(MeshSource.open(str(tmp_path / "0.iv")))


def test_prototypes_of_prototypes():
    text = HEAD_97 + "PROTO P0 [ ] { Group { } }"
    for level in range(40):
        inner = f"P{level} {{ }} " * 2
        text += f" PROTO P{level + 1} [ ] {{ Group {{ children [ {inner} ] }} }}"
    refused(text + " P40 { }", "prototypes expand to more than 4 million bytes")


def test_more_nodes_than_memory():
    refused(HEAD + "Group{}" * 500_001, "more than 500 thousand nodes")


def test_concave_faces_with_many_corners():
    n = 20_000
    teeth = ", ".join(f"{k} {(k % 2) * 5 + k * 1e-3} 0" for k in range(n))
    body = f"Coordinate3 {{ point [ {teeth}, {n} -9 0, 0 -9 0 ] }}"
    order = " ".join(map(str, range(n + 1, -1, -1)))
    body += f" DEF comb IndexedFaceSet {{ coordIndex [ {order} ] }}" + " USE comb" * 50
    refused(HEAD + body, "too many corners")


def test_gzip_bombs():
    machine = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = machine.compress(HEAD.encode())
    blanks = b" " * (1 << 20)
    data += b"".join(machine.compress(blanks) for _ in range(260)) + machine.flush()
    assert len(data) < 1 << 20
    tracemalloc.start()
    try:
        refused(data, "inflates to more than")
        assert tracemalloc.get_traced_memory()[1] < 600 << 20
    finally:
        tracemalloc.stop()


def test_damaged_gzip():
    data = gzip.compress(f"{HEAD}Cube {{ }}".encode())
    for cut in range(3, len(data)):
        with pytest.raises(SceneError, match=r"gzip|first line"):
            INVENTOR.read(MeshSource(data[:cut]))
    broken = data[:-8] + bytes([data[-8] ^ 1]) + data[-7:]
    with pytest.raises(SceneError, match="gzip stream is damaged"):
        INVENTOR.read(MeshSource(broken))


def test_warnings_are_limited():
    names = " ".join(f"N{k} {{ }}" for k in range(20_000))
    source = MeshSource(f"{HEAD}{names} Cube {{ }}".encode())
    start = time.process_time()
    assert len(INVENTOR.read(source).faces) == 12
    assert len(source.problems) == 50
    assert time.process_time() - start < SECONDS


def test_missing_files_are_looked_for_a_thousand_times(tmp_path):
    path = tmp_path / "a.iv"
    path.write_text(HEAD + 'File { name "no.iv" }' * 1001)
    with pytest.raises(SceneError, match="includes more than 1000 files"):
        INVENTOR.read(MeshSource.open(str(path)))


LONG = {
    "comment": "#" * 1_000_000,
    "quotes": '"' * 100_001,
    "brackets": "[" * 1_000_000,
    "escapes": 'Info { string "' + "\\" * 1_000_001,
    "unknown node": "Gadget { " + "[" * 1_000_000,
    "unknown field": "Cube { q " + "[" * 1_000_000,
    "names": "DEF " * 1_000_000,
    "digits": "Cube { width " + "9" * 1_000_000 + "x }",
    "integer": "Switch { whichChild " + "9" * 1_000_000,
}


@pytest.mark.parametrize("body", LONG.values(), ids=LONG)
def test_long_runs_take_linear_time(body):
    start = time.process_time()
    with contextlib.suppress(SceneError):
        INVENTOR.read(MeshSource((HEAD + body).encode()))
    assert time.process_time() - start < SECONDS
