"""Sizes, places, names, completion and messages of the command line."""

import os
import sys
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner
from log_builder import log
from tlparse_bundle import BundleError, build, discover
from tlparse_bundle.cli import completion, output
from tlparse_bundle.cli.bundle_inputs import bundle_name, default_out, opened, refuse_bundles
from tlparse_bundle.cli.main import cli
from tlparse_bundle.cli.options import Location, Size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1),
        ("256MB", 256_000_000),
        ("1.5 gb", 1_500_000_000),
        ("2k", None),
        ("2kB", 2000),
        ("3TB", 3 * 10**12),
        ("0", None),
        ("-1", None),
        ("1.2345", None),
        ("much", None),
        ("7B", 7),
    ],
)
def test_sizes(text, expected):
    if expected is None:
        with pytest.raises(click.BadParameter, match="is not a size"):
            Size().convert(text, None, None)
    else:
        assert Size().convert(text, None, None) == expected


def test_a_url_stays_as_it_is():
    assert Location().convert("s3://a/b/", None, None) == "s3://a/b/"
    assert Location().convert("a/b/", None, None).name == "b"


@pytest.mark.parametrize(
    ("columns", "terminal", "expected"),
    [
        ("70", 90, 70),
        ("120", 90, 100),
        ("0", 90, 90),
        ("x", 90, 90),
        ("", 90, 90),
        ("", 150, 100),
        ("", None, 80),
    ],
)
def test_the_width_of_the_terminal(monkeypatch, columns, terminal, expected):
    def size(number):
        if terminal is None:
            raise OSError
        return SimpleNamespace(columns=terminal)

    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(os, "get_terminal_size", size)
    monkeypatch.setattr(sys, "__stdout__", SimpleNamespace(fileno=lambda: 1))
    assert output.width() == expected
    monkeypatch.setattr(sys, "__stdout__", None)
    assert output.width() == (min(int(columns), 100) if columns.isdecimal() and int(columns) else 80)


@pytest.mark.parametrize(
    ("message", "hint", "expected"),
    [
        ("it failed", "", "Error: it failed.\n"),
        ("it failed!", "", "Error: it failed!\n"),
        ("why?", "Do this.", "Error: why?\n\nDo this.\n"),
        ("one\ntwo\n  three", "four\nfive", "Error: one\n  two\n  three\n\nfour\n  five\n"),
    ],
)
def test_lines_after_the_first_are_indented(capsys, message, hint, expected):
    output.say_error(BundleError(message, hint=hint))
    assert capsys.readouterr().err == expected


def test_json_that_is_nested_too_deeply(capsys):
    value = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(BundleError, match="nested too deeply"):
        output.say_json(value)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("s3://bucket/traces/run.log.zst", "run"),
        ("s3://bucket/traces/", "traces"),
        ("folder.d", "folder.d"),
        ("x.log.gz", "x"),
        ("/", "trace"),
    ],
)
def test_a_bundle_is_named_after_its_trace(tmp_path, monkeypatch, place, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.d").mkdir()
    (tmp_path / "x.log.gz").touch()
    assert bundle_name(place) == name and str(default_out(place)) == f"{name}-bundle"


@pytest.fixture
def bundle(tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(
        log("""
            dynamo_start 0/0
            artifact:one 0/0
                | text
            artifact:one 0/0
                | more
            artifact:other 0/0
                | text
            dynamo_start 0/1
            artifact:one 0/1
                | text
            artifact:none
                | text
        """)
    )
    build(discover([path]), tmp_path / "out", jobs=1)
    return tmp_path / "out"


def test_a_trace_is_opened_as_a_bundle(bundle, tmp_path):
    with opened(tmp_path / "dedicated_log_torch_trace_x.log") as found:
        place = found.location
        assert [one.id for one in found.logs] == ["x"] and place.endswith("dedicated_log_torch_trace_x")
    assert not os.path.exists(place)
    with opened(bundle) as found:
        assert found.location == str(bundle)
    (bundle / "manifest.json").write_text("{")
    with pytest.raises(BundleError), opened(bundle):
        pass


def test_bundles_are_not_traces(bundle, tmp_path):
    refuse_bundles([tmp_path, tmp_path / "none", "s3://bucket/x"])
    with pytest.raises(BundleError, match="is a bundle, not a trace") as raised:
        refuse_bundles([tmp_path, bundle])
    assert raised.value.code == "is-bundle"


def completed(complete, bundle, incomplete):
    context = SimpleNamespace(params={"bundle": str(bundle)}, args=[])
    return [item.value for item in complete(context, None, incomplete)]


@pytest.mark.parametrize(
    ("incomplete", "expected"),
    [
        ("", ["x/0/0/", "x/0/1/", "x/-/", "x/timeline"]),
        ("x/0", ["x/0/0/", "x/0/1/"]),
        ("x/0/0/", ["x/0/0/one", "x/0/0/one#2", "x/0/0/other"]),
        ("x/0/0/one#", ["x/0/0/one#2"]),
        ("x/0/1/", ["x/0/1/one"]),
        ("y", []),
    ],
)
def test_contents_of_a_bundle_are_completed(bundle, incomplete, expected):
    found = completed(completion.complete_contents, bundle, incomplete)
    assert [*dict.fromkeys(found)] == found and {*found} == {*expected}


def test_logs_compiles_and_names_are_completed(bundle):
    assert completed(completion.complete_logs, bundle, "") == ["x"]
    assert completed(completion.complete_compiles, bundle, "0/1") == ["0/1"]
    assert "letter" in completed(completion.complete_viewers, bundle, "l")
    assert "plugin" in completed(completion.complete_forks, bundle, "p")
    assert "compiles" in completed(completion.complete_schemas, bundle, "comp")
    assert completed(completion.complete_logs, bundle / "none", "") == []
    context = SimpleNamespace(params={}, args=[str(bundle)])
    assert [item.value for item in completion.complete_logs(context, None, "")] == ["x"]


def test_at_most_some_words_are_completed(monkeypatch, bundle):
    monkeypatch.setattr(completion, "_MAX_WORDS", 1)
    assert len(completed(completion.complete_compiles, bundle, "")) == 1


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chekc"], "Did you mean 'check'?"),
        (["qqqq"], "For all commands: tlparse-bundle --help"),
        (["valdate", "x"], "Did you mean 'validate'?"),
    ],
)
def test_a_mistyped_command(arguments, hint):
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2 and f"no command or file {arguments[0]!r}. {hint}" in done.stderr


@pytest.mark.parametrize("arguments", [["./chekc"], ["qqqq", "out"], ["--latest"]])
def test_other_words_are_arguments_of_build(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, arguments)
    assert "no command or file" not in done.output
