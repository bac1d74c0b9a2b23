"""Databases on the workers of a Dask scheduler."""

import logging
from dataclasses import replace

import numpy as np
import pytest
from toy_databases import numbers

from pyrave.databases import jobs
from pyrave.errors import ArgumentError, NotSupportedError, StateError

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    # of Dask and tornado, while they say goodbye
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path / "kept"))
    monkeypatch.setattr("pyrave.databases.dask_engine._JOINED", 1.0)
    monkeypatch.setattr("pyrave.databases.dask_engine._REACHED", 5.0)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


@pytest.fixture
def cluster(tmp_path):
    """A scheduler with two workers in this process."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        local_directory=str(tmp_path / "spill"),
    ) as made:
        yield made


def test_results_are_those_of_one_process(cluster):
    here = numbers().build()
    arrays = dict(here.arrays)
    here.clean()
    there = numbers().build(scheduler=cluster.scheduler_address)
    assert sorted(there.arrays) == sorted(arrays)
    for name, array in arrays.items():
        assert np.array_equal(array, there.arrays[name])
    assert there.is_current
    assert not jobs._jobs


def test_a_goodbye_that_fails_loses_nothing(cluster, monkeypatch, caplog):
    def fail(self, name):
        raise OSError("Stream is closed")

    monkeypatch.setattr(distributed.Client, "unregister_worker_plugin", fail)
    with caplog.at_level("INFO", logger="pyrave.databases"):
        assert numbers().build(scheduler=cluster.scheduler_address).is_current
    assert "was not told that the build has ended: OSError: Stream" in caplog.text


def test_faults_of_authors_are_told(cluster):
    with pytest.raises(StateError, match="ZeroDivisionError: by its author"):
        numbers(fault="raise").build(scheduler=cluster.scheduler_address)


def test_workers_of_another_version_are_told(cluster, monkeypatch):
    monkeypatch.setattr("pyrave.__version__", "0.0.7")
    real = jobs.make_job
    monkeypatch.setattr(
        "pyrave.databases.database.make_job",
        lambda one: replace(real(one), pyrave="9.9"),
    )
    monkeypatch.setattr("pyrave.databases.database.database_of", lambda _: numbers())
    said = r"workers of .* have another pyrave than 9\.9: .* has pyrave 0\.0\.7"
    with pytest.raises(StateError, match=said):
        numbers().build(scheduler=cluster.scheduler_address)


def test_a_scheduler_that_goes_is_told_and_the_next_build_goes_on(cluster):
    def close(done, total):
        if done == 2:
            cluster.close()

    one = numbers(pause=0.05, tasks=20)
    with pytest.raises(StateError, match=r"the scheduler .* has gone; start it again"):
        one.build(scheduler=cluster.scheduler_address, progress=close)
    assert one.status().finished >= 2
    one.build()
    assert one.is_current


def test_a_scheduler_without_workers_is_told(tmp_path):
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=None
        ) as empty,
        pytest.raises(StateError, match=r"cannot be used: .*`dask worker .*` starts"),
    ):
        numbers().build(scheduler=empty.scheduler_address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://1", "a b"])
def test_a_scheduler_that_is_not_there_is_told(address, monkeypatch):
    monkeypatch.setattr("pyrave.databases.dask_engine._REACHED", 0.5)
    with pytest.raises(
        StateError, match=r"the scheduler .* is not reached: .*`dask sch"
    ):
        numbers().build(scheduler=address)


def test_no_address_is_refused():
    with pytest.raises(ArgumentError, match="scheduler is 3, expected an address"):
        numbers().build(scheduler=3)


def test_dask_has_to_be_installed(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "pyrave.databases.dask_engine", raising=False)
    with pytest.raises(NotSupportedError, match=r"pip install 'pyrave\[distributed\]'"):
        numbers().build(scheduler="tcp://127.0.0.1:9")


def test_a_process_of_another_version_is_told():
    job = replace(jobs.make_job(numbers()), pyrave="9.9")
    digest = jobs.keep_job(job)
    with pytest.raises(StateError, match=r"has pyrave .*, and the build is of 9\.9"):
        jobs.run_task(digest, 0)
    jobs.drop_job(digest)
    digest = jobs.keep_job(replace(job, data=b"nothing", pyrave=_version()))
    with pytest.raises(StateError, match="cannot read what it is to compute"):
        jobs.run_task(digest, 0)
    jobs.drop_job(digest)


def _version():
    import pyrave

    return pyrave.__version__
