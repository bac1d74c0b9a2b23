"""Keys, files and builds of databases, on one whose results are known."""

import os
import pickle
import subprocess
import sys
import textwrap
import time
import zipfile
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from grasping_scenes import hand_and_ball
from toy_databases import NumberDatabase, PlacedDatabase, numbers

import pyrave
from pyrave.databases import Database
from pyrave.databases import memory as memory_module
from pyrave.databases.jobs import compiled
from pyrave.databases.store import read_arrays, read_header, write_arrays
from pyrave.errors import (
    ArgumentError,
    NotSupportedError,
    SettingError,
    StateError,
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def begun(log):
    """Return how many tasks of each index have begun."""
    found = [int(one.name.partition(".")[0]) for one in Path(log).iterdir()]
    return {index: found.count(index) for index in sorted(set(found))}


def same(one, other):
    return sorted(one.arrays) == sorted(other.arrays) and all(
        np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items()
    )


# -- what it is --------------------------------------------------------------------


def test_where_files_are(folder, monkeypatch, tmp_path):
    one = numbers()
    assert one.path == folder / "numbers" / f"{one.key}.npz"
    monkeypatch.delenv("PYRAVE_DATABASE")
    monkeypatch.setenv("PYRAVE_CACHE_DIR", str(tmp_path / "cache"))
    assert one.path == tmp_path / "cache" / "databases" / "numbers" / f"{one.key}.npz"


def test_parameters_change_the_key_and_defaults_do_not():
    key = numbers().key
    assert numbers(tasks=6, scale=1).key == key
    assert numbers(tasks=7).key != key
    assert numbers(scale=1.0000001).key != key


def test_the_version_changes_the_key(monkeypatch):
    key = numbers().key
    monkeypatch.setattr(NumberDatabase, "version", 2)
    assert numbers().key != key


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"task": 2}, "no setting 'task', did you mean 'tasks'"),
        ({"tasks": -1}, "tasks of numbers is -1, expected a whole number >= 0"),
        ({"tasks": 1.5}, "tasks of numbers is 1.5, expected a whole number"),
        ({"scale": float("nan")}, "scale of numbers is nan, expected a number > 0 m"),
        ({"scale": "x"}, "scale of numbers is 'x', expected a number > 0 m"),
    ],
)
def test_wrong_parameters_are_refused(parameters, said):
    with pytest.raises(SettingError, match=said):
        numbers(**parameters)


def test_wrong_subjects_are_refused():
    _, ball = hand_and_ball()
    with pytest.raises(ArgumentError, match="body of numbers is 3, expected a KinBody"):
        NumberDatabase(3)
    with pytest.raises(ArgumentError, match="body of numbers is None"):
        NumberDatabase()
    with pytest.raises(ArgumentError, match="is given 2 subjects, expected body"):
        NumberDatabase(ball, ball)
    ball.env.remove(ball)
    with pytest.raises(StateError, match="is in no environment"):
        NumberDatabase(ball)


def test_subjects_of_two_environments_are_refused():
    class Pairs(NumberDatabase):
        takes: ClassVar = {"body": pyrave.KinBody, "target": pyrave.KinBody}

    _, one = hand_and_ball()
    _, other = hand_and_ball()
    with pytest.raises(ArgumentError, match=r"target of numbers is .* in another env"):
        Pairs(one, other)


def test_an_author_whose_key_depends_on_poses_is_told():
    _, ball = hand_and_ball()
    with pytest.raises(StateError, match="the key of placed changes with where bodies"):
        PlacedDatabase(ball).build()


# -- building ----------------------------------------------------------------------


def test_a_build_keeps_its_results():
    one = numbers()
    assert not one.is_current
    with pytest.raises(StateError, match="has no results yet; call build"):
        one.arrays  # noqa: B018
    assert one.build() is one
    assert one.is_current
    assert one.arrays["index"].tolist() == np.repeat(range(6), 3).tolist()
    assert not one.arrays["numbers"].flags.writeable
    again = numbers().load()
    assert same(one, again)
    assert not again.arrays["numbers"].flags.writeable
    assert one.seconds >= 0.0


def test_tasks_run_where_bodies_are_alone_and_at_rest():
    found = numbers().build().arrays
    assert (found["where"] == 0.0).all()
    assert (found["around"] == 1).all()


def test_results_are_those_of_each_task_alone():
    """The seeds are of key and index, not of what ran before."""
    one = numbers(tasks=4).build()
    parts = [numbers(tasks=4)._compute(k)["numbers"] for k in (3, 1)]
    assert np.array_equal(one.arrays["numbers"][9:], parts[0])
    assert np.array_equal(one.arrays["numbers"][3:6], parts[1])
    assert not np.allclose(*parts)
    others = numbers(tasks=4, scale=2.0)._compute(1)["numbers"]
    assert not np.allclose(others, 2.0 * parts[1])


def test_what_is_there_is_not_computed_again(tmp_path):
    one = numbers(log=str(tmp_path)).build()
    again = numbers(log=str(tmp_path)).build()
    assert same(one, again)
    assert log_of(tmp_path) == dict.fromkeys(range(6), 1)


def log_of(folder):
    found = [one.name.partition(".")[0] for one in folder.iterdir() if one.is_file()]
    return {int(index): found.count(index) for index in found}


def test_no_tasks_are_no_results():
    assert dict(numbers(tasks=0).build().arrays) == {}
    assert dict(numbers(tasks=0).load().arrays) == {}


def test_progress_is_told_with_what_was_done_before(tmp_path):
    said = []
    numbers(tasks=3).build(progress=lambda done, total: said.append((done, total)))
    assert said == [(0, 3), (1, 3), (2, 3), (3, 3)]
    with pytest.raises(ArgumentError, match="progress is 3, expected a function"):
        numbers(tasks=4).build(progress=3)


def test_an_interrupted_build_goes_on(tmp_path):
    log = tmp_path / "log"
    log.mkdir()

    def stop(done, total):
        if done == 4:
            raise KeyboardInterrupt

    one = numbers(log=str(log))
    with pytest.raises(KeyboardInterrupt):
        one.build(progress=stop)
    assert not one.is_current
    status = one.status()
    assert (status.finished, status.tasks) == (4, 6)
    assert status.bytes > 0
    one.build()
    assert begun(log) == dict.fromkeys(range(6), 1)
    assert one.status().finished == 0
    assert same(one, numbers(log=str(log)).load())


def test_a_part_that_is_damaged_or_of_another_task_is_computed_again(tmp_path):
    log = tmp_path / "log"
    log.mkdir()

    def stop(done, total):
        if done == 4:
            raise KeyboardInterrupt

    one = numbers(log=str(log))
    with pytest.raises(KeyboardInterrupt):
        one.build(progress=stop)
    parts = sorted(one.path.with_suffix(".parts").iterdir())
    assert len(parts) == 4
    parts[0].write_bytes(parts[0].read_bytes()[:-20])
    parts[1].write_bytes(parts[2].read_bytes())
    one.build()
    assert begun(log) == {0: 2, 1: 2, 2: 1, 3: 1, 4: 1, 5: 1}
    assert one.arrays["index"].tolist() == np.repeat(range(6), 3).tolist()


def test_what_needs_more_memory_than_there_is_is_refused_before(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_module, "_of_machine", lambda: 8 << 30)
    with pytest.raises(ArgumentError, match=r"needs about 9\.0 GiB .* 8\.0 GiB are f"):
        numbers(gigabytes=9, log=str(tmp_path)).build()
    assert log_of(tmp_path) == {}
    numbers(gigabytes=7).build()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("raise", "task 2 of numbers failed on .*ZeroDivisionError: by its author"),
        ("objects", "task 2 of numbers gave 'numbers' of type object"),
        ("list", "task 2 of numbers gave .*expected arrays by name"),
        ("names", "tasks of numbers gave arrays of different names"),
    ],
)
def test_faults_of_authors_are_told(fault, said):
    with pytest.raises(StateError, match=said):
        numbers(fault=fault).build()


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2", 100_000])
def test_wrong_numbers_of_workers_are_refused(workers):
    with pytest.raises(ArgumentError, match=r"workers is .*, expected a whole number"):
        numbers().build(workers=workers)


def test_workers_beside_a_scheduler_are_refused():
    with pytest.raises(ArgumentError, match="the scheduler knows its workers"):
        numbers().build(workers=2, scheduler="tcp://127.0.0.1:1")


# -- files -------------------------------------------------------------------------


def test_no_file_is_told():
    with pytest.raises(StateError, match=r"no file .*; build\(\) or `pyrave db build"):
        numbers().load()
    assert "there is no" in numbers().status().problem


def test_a_cut_file_is_told_and_made_anew():
    one = numbers().build()
    data = one.path.read_bytes()
    for length in (0, 1, 30, len(data) // 2, len(data) - 1):
        one.path.write_bytes(data[:length])
        assert not one.is_current
        with pytest.raises(StateError, match=r"is cut or damaged: .*; build\(\) makes"):
            numbers().load()
    assert same(numbers().build(), one)
    assert one.is_current


def test_a_file_that_is_compressed_in_another_way_is_told():
    one = numbers().build()
    with zipfile.ZipFile(one.path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(one.path, "w", zipfile.ZIP_LZMA) as file:
        for name, data in members.items():
            file.writestr(name, data)
    with pytest.raises(StateError, match="compressed in another way"):
        numbers().load()


@pytest.mark.parametrize(
    "wrong", [{"seconds": "long"}, {"tasks": None}, {"tasks": -1}, {"seconds": [1]}]
)
def test_a_header_without_numbers_is_told(wrong):
    one = numbers().build()
    header, arrays = read_arrays(one.path)
    write_arrays(one.path, {**header, **wrong}, arrays)
    (name,) = wrong
    assert f"its {name} are" in one.status().problem
    with pytest.raises(StateError, match=f"its {name} are"):
        numbers().load()


def test_parts_that_vanish_meanwhile_are_nothing():
    one = numbers()
    parts = one.path.with_suffix(".parts")
    parts.mkdir(parents=True)
    (parts / "0000000.npz").symlink_to(parts / "gone")
    assert one.status().bytes == 0


def test_kernels_are_compiled_until_the_last_of_overlapping_blocks_ends(monkeypatch):
    monkeypatch.setenv("PYRAVE_COMPILE", "session")
    first, second = compiled(), compiled()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert os.environ["PYRAVE_COMPILE"] == "foreground"
    second.__exit__(None, None, None)
    assert os.environ["PYRAVE_COMPILE"] == "session"


def test_a_changed_byte_is_told():
    one = numbers().build()
    data = bytearray(one.path.read_bytes())
    for place in range(60, len(data) - 400, 97):
        wrong = data.copy()
        wrong[place] ^= 0xFF
        one.path.write_bytes(bytes(wrong))
        try:
            found = numbers().load()
        except StateError:
            continue
        assert same(found, one), place


def test_a_file_of_another_key_is_told_and_made_anew():
    one, other = numbers().build(), numbers(tasks=2)
    other.path.write_bytes(one.path.read_bytes())
    with pytest.raises(StateError, match=f"is of another key, '{one.key}'"):
        other.load()
    assert not other.is_current
    assert len(other.build().arrays["index"]) == 6
    assert other.is_current


def test_a_file_of_another_kind_is_told(monkeypatch):
    one = numbers().build()
    header, arrays = read_arrays(one.path)
    write_arrays(one.path, {**header, "kind": "others"}, arrays)
    with pytest.raises(StateError, match="is of kind 'others', not 'numbers'"):
        one.load()


def test_a_newer_format_is_told_and_not_replaced():
    one = numbers().build()
    header, arrays = read_arrays(one.path)
    newer = {**header, "format_version": 2, "pyrave": "9.0"}
    write_arrays(one.path, newer, arrays)
    data = one.path.read_bytes()
    for call in (one.load, one.build):
        with pytest.raises(StateError, match=r"has format 2, .*pyrave '9\.0' wrote it"):
            call()
    assert one.path.read_bytes() == data
    assert not one.is_current


def test_headers_say_what_was_asked():
    one = numbers(scale=2.0).build()
    header = read_header(one.path)
    assert header["parameters"]["scale"] == 2.0
    assert header["pyrave"] == pyrave.__version__
    assert header["key"] == one.key
    assert (header["kind"], header["tasks"]) == ("numbers", 6)


def test_a_folder_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    place = tmp_path / "file"
    place.write_text("x")
    monkeypatch.setenv("PYRAVE_DATABASE", str(place))
    with pytest.raises(StateError, match=r"cannot be written: .*set PYRAVE_DATABASE"):
        numbers().build()


def test_a_full_disk_is_told_and_the_next_build_goes_on(tmp_path, monkeypatch):
    log = tmp_path / "log"
    log.mkdir()
    one = numbers(log=str(log))
    written = []

    real = os.fsync

    def fsync(number):
        written.append(number)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        real(number)

    monkeypatch.setattr("pyrave.files.os.fsync", fsync)
    with pytest.raises(StateError, match="No space left on device; make room there"):
        one.build()
    assert one.status().finished == 2
    assert not list(one.path.parent.rglob(".*"))
    one.build()
    assert begun(log) == {0: 1, 1: 1, 2: 2, 3: 1, 4: 1, 5: 1}


def test_clean_removes_file_and_parts(folder):
    one = numbers().build()
    size = one.path.stat().st_size
    parts = one.path.with_suffix(".parts")
    parts.mkdir()
    (parts / "0000000.npz").write_bytes(b"12345")
    left = one.path.parent / f".{one.key}.ab.part.npz"
    left.write_bytes(b"123")
    assert one.clean() == size + 8
    assert not list((folder / "numbers").iterdir())
    assert not one.is_current
    assert one.clean() == 0


def test_nothing_to_show_is_told():
    with pytest.raises(NotSupportedError, match="numbers has nothing to draw"):
        numbers().show()


def test_summaries_are_shapes_by_default():
    assert numbers().build().summary()["numbers"] == [18, 2]


def test_pickles_are_equal_databases():
    one = numbers(scale=3.0)
    again = pickle.loads(pickle.dumps(one))  # noqa: S301
    assert (again.key, again.parameters) == (one.key, one.parameters)


def test_a_class_of_another_version_is_told(monkeypatch):
    data = pickle.dumps(numbers())
    monkeypatch.setattr(NumberDatabase, "version", 2)
    with pytest.raises(StateError, match="numbers has version 2 here and 1 where it"):
        pickle.loads(data)  # noqa: S301


def test_what_cannot_be_pickled_is_told():
    class Local(NumberDatabase):
        kind = "local"

    _, ball = hand_and_ball()
    with pytest.raises(StateError, match="cannot be sent to workers: "):
        Local(ball).build()


# -- processes ---------------------------------------------------------------------


@pytest.mark.slow
def test_workers_have_the_same_results(tmp_path):
    log = tmp_path / "log"
    log.mkdir()
    one, other = numbers(log=str(log)).build(), numbers(log=str(log))
    other.clean()
    other.build(workers=2)
    assert same(one, other)
    assert begun(log) == dict.fromkeys(range(6), 2)


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_its_task_alone(tmp_path):
    log = tmp_path / "log"
    log.mkdir()
    one = numbers(log=str(log), fault="kill once").build(workers=2)
    assert begun(log) == {0: 1, 1: 1, 2: 2, 3: 1, 4: 1, 5: 1}
    assert one.arrays["index"].tolist() == np.repeat(range(6), 3).tolist()


@pytest.mark.slow
def test_a_task_that_ends_each_worker_is_told():
    one = numbers(fault="kill", tasks=3)
    with pytest.raises(
        StateError, match=r"5 workers ended, .*did task 2 of 3; .*2 tas"
    ):
        one.build(workers=2)
    assert one.status().finished == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("raise", "ZeroDivisionError: by its author"),
        ("own error", "AuthorError: a dent at the rim"),
    ],
)
def test_faults_of_authors_are_told_from_other_processes(fault, said):
    with pytest.raises(StateError, match=said):
        numbers(fault=fault).build(workers=2)


@pytest.mark.slow
def test_a_script_that_its_workers_would_run_again_is_told(tmp_path):
    script = tmp_path / "build.py"
    script.write_text("from toy_databases import numbers\nnumbers().build(workers=2)\n")
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert "a script lacks `if __name__ == '__main__':`" in done.stderr


@pytest.mark.slow
def test_a_killed_build_goes_on(tmp_path):
    """It is killed, with no word to its workers, which end then, too."""
    log = tmp_path / "log"
    log.mkdir()
    script = tmp_path / "build.py"
    script.write_text(
        textwrap.dedent(f"""
        from toy_databases import numbers
        if __name__ == "__main__":
            numbers(log={str(log)!r}, tasks=40, pause=0.2).build(workers=2)
        """)
    )
    path = os.pathsep.join(filter(None, sys.path))
    build = subprocess.Popen(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": path}
    )
    one = numbers(log=str(log), tasks=40, pause=0.2)
    while one.status().finished < 5:
        assert build.poll() is None
        time.sleep(0.05)
    build.kill()
    build.wait()
    kept = one.status().finished
    assert kept < 40
    one.build()
    counts = begun(log)
    assert sorted(counts) == list(range(40))
    # at most those that the two workers had, or had just done
    assert sum(counts.values()) <= 40 + 4
    clean = numbers(tasks=40).build()
    assert clean.arrays["index"].tolist() == one.arrays["index"].tolist()


def test_authors_write_three_methods():
    assert Database.__abstractmethods__ == {"_identity", "_task_count", "_compute"}
