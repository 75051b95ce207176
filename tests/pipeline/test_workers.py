"""Work on several logs: results in order, progress, and workers that are lost."""

import operator
import os
from types import SimpleNamespace

import pytest
from tlparse_bundle import BundleError
from tlparse_bundle.pipeline import workers
from tlparse_bundle.pipeline.workers import DaskWorkers, Workers, core_count

PAIRS = [(6, 3), (8, 2), (9, 9)]


@pytest.mark.parametrize("count", [1, 2])
def test_results_are_in_order_and_each_is_reported(count):
    done = []
    with Workers(count) as pool:
        assert pool.map(operator.floordiv, PAIRS, done.append) == [2, 4, 1]
        assert sorted(done) == [0, 1, 2]
        assert pool.map(operator.floordiv, []) == []


def test_one_task_needs_no_process():
    with Workers(8) as pool:
        assert pool.map(os.getpid, [()]) == [os.getpid()]
        first, second = pool.map(os.getpid, [(), ()])
        assert os.getpid() not in (first, second)
        assert pool.map(os.getpid, [()]) != [os.getpid()]  # now that there are some
    with Workers(1) as pool:
        assert pool.map(os.getpid, [(), ()]) == [os.getpid()] * 2


def test_an_exception_in_a_worker_is_raised_here():
    with pytest.raises(ZeroDivisionError), Workers(2) as pool:
        pool.map(operator.floordiv, [(1, 0), (1, 1)])


def test_a_worker_that_is_killed_is_reported():
    with pytest.raises(BundleError, match="was killed") as raised, Workers(2) as pool:
        pool.map(os._exit, [(1,), (1,)])
    assert raised.value.code == "worker-died" and "--jobs 1" in raised.value.hint


def test_there_is_a_core():
    assert 1 <= core_count() <= (os.cpu_count() or 1)


class Future:
    def __init__(self, function, arguments):
        self.result = lambda: function(*arguments)


class Client:
    """A cluster that answers at once, the last task first."""

    def __init__(self, address, timeout, set_as_default):
        self.loop, self.arguments, self.cancelled = object(), (address, timeout, set_as_default), []

    def submit(self, function, *arguments, pure, retries):
        assert (pure, retries) == (False, 3)
        return Future(function, arguments)

    def gather(self, futures):
        return [future.result() for future in futures]

    def cancel(self, futures):
        self.cancelled += futures

    def close(self):
        self.loop = None


@pytest.fixture
def dask(monkeypatch):
    fake = SimpleNamespace(Client=Client, as_completed=lambda futures, loop: futures[::-1])
    monkeypatch.setattr(workers, "_dask", lambda: fake)
    return fake


@pytest.mark.parametrize(
    ("address", "expected"),
    [("dask://scheduler:8786", "tcp://scheduler:8786"), ("dask://[::1]:9", "tcp://[::1]:9")],
)
def test_a_cluster_is_asked_at_its_address(dask, address, expected):
    with DaskWorkers(address, connect_seconds=7) as cluster:
        assert cluster._client.arguments == (expected, 7, False) and cluster._client.loop
    assert cluster._client.loop is None
    assert DaskWorkers(address)._client.arguments[1] == 30


def test_a_cluster_that_cannot_be_reached(dask, monkeypatch):
    def refuse(*_, **__):
        raise TimeoutError("too late")

    monkeypatch.setattr(dask, "Client", refuse)
    with pytest.raises(BundleError, match="dask://a:1 does not answer: too late") as raised:
        DaskWorkers("dask://a:1")
    assert raised.value.code == "executor"


def test_a_cluster_needs_dask(monkeypatch):
    def missing():
        raise ImportError

    monkeypatch.setattr(workers, "_dask", missing)
    with pytest.raises(BundleError, match="needs Dask") as raised:
        DaskWorkers("dask://a:1")
    assert raised.value.code == "no-dask"


@pytest.mark.parametrize("address", ["dask://", "tcp://host:8786", "dask://host", "dask://a b:1", "x"])
def test_other_addresses_are_refused(address):
    with pytest.raises(BundleError, match="is not an address of workers"):
        DaskWorkers(address)


def test_results_of_a_cluster_are_in_order_and_each_is_reported(dask):
    done = []
    with DaskWorkers("dask://a:1") as cluster:
        assert cluster.map(operator.floordiv, PAIRS, done.append) == [2, 4, 1]
        assert done == [2, 1, 0] and len(cluster._client.cancelled) == 3
        with pytest.raises(ZeroDivisionError):
            cluster.map(operator.floordiv, [(1, 0)])
        assert len(cluster._client.cancelled) == 4
