"""Without any one rule of the redaction, a secret is left: the tests of secrets depend on each of them."""

import dataclasses

import pytest
from secrets_of_logs import made
from test_fields_of_schemas import SECRETS, left
from test_secrets import build_bundle, survivors
from tlparse_bundle.redact import fields, fixed_lists, log_tables, names, pseudonyms, redact
from tlparse_bundle.redact.fields import CONTENTS, Fields
from tlparse_bundle.redact.leak_search import leaks, lines_of_bundle
from tlparse_bundle.redact.policy import PUBLIC, policy

FEW = made()[12:30]  # of many kinds


def leaves_a_secret():
    """Return whether a secret is left in a row of a table."""
    return any(left(secret) for secret in SECRETS)


@pytest.mark.parametrize("content", sorted(CONTENTS))
def test_each_kind_of_content_is_needed(monkeypatch, content):
    original = Fields._content

    def kept(self, of, part, where, *, nullable):
        return (
            (lambda value, row: value)
            if of == content
            else original(self, of, part, where, nullable=nullable)
        )

    monkeypatch.setattr(Fields, "_content", kept)
    assert leaves_a_secret()


@pytest.mark.parametrize("name", sorted(fixed_lists.LISTS))
def test_each_list_is_needed(monkeypatch, name):
    monkeypatch.setitem(fixed_lists.LISTS, name, lambda text: True)
    assert leaves_a_secret()


def kept(*arguments):
    return next(one for one in arguments if isinstance(one, str))


OF_NAMES = {
    "names": (names.Names, "name"),
    "texts": (names.Names, "text"),
    "functions": (names.Names, "function"),
    "files": (names.Names, "_file"),
    "variables": (names.Names, "variable"),
    "generated files": (names.Names, "_generated"),
    "parts of variables": (names.Names, "_token"),
    "hashes": (pseudonyms.Pseudonyms, "hash"),
    "tags": (pseudonyms.Pseudonyms, "tag"),
    "files of torch": (names, "shipped_file"),
    "diagnostics": (fields, "_own_words"),
}


@pytest.mark.parametrize("rule", OF_NAMES)
def test_each_rule_of_names_is_needed(monkeypatch, rule):
    changes = {
        "diagnostics": lambda where, row: str(row),
        "generated files": lambda self, path: path,
    }
    monkeypatch.setattr(*OF_NAMES[rule], changes.get(rule, kept))
    more = ["<zofukix>", "L['zofukix']"]
    assert leaves_a_secret() or any(left(secret) for secret in more)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return build_bundle(tmp_path_factory.mktemp("few"), FEW)


def with_name_of_log(log, *arguments, original=log_tables._directory):
    directory = original(log, *arguments)
    return {**directory, "source": {**directory["source"], "name": log.source}}


def with_label(*arguments, original=redact.make_manifest):
    return original(*arguments) | {"label": FEW[0].text, "commit": FEW[1].text}


def own_sentences(original, *arguments, made_of=log_tables.findings_of_log):
    _, statements = made_of(original, *arguments)
    return [dict(row) for row in original], statements


END_TO_END = {
    "ids of logs": [(redact, "new_ids", lambda logs, _: {log.id: log.id for log in logs})],
    "names of logs": [(log_tables, "_directory", with_name_of_log)],
    "sentences of findings": [(log_tables, "findings_of_log", own_sentences)],
    "label and commit": [(redact, "make_manifest", with_label)],
    "functions of torch": [(names, "ships_function", lambda file, function: True)],
    "places of payloads": [(pseudonyms.Pseudonyms, "hash", lambda self, text: text)],
}


@pytest.mark.parametrize("rule", END_TO_END)
def test_each_rule_of_bundles_is_needed(monkeypatch, few, tmp_path, rule):
    for where, name, change in END_TO_END[rule]:
        monkeypatch.setattr(where, name, change)
    redact.redact(few, tmp_path / "out", policy(PUBLIC))
    assert survivors(tmp_path / "out") or leaks(lines_of_bundle(few), tmp_path / "out", 1).count


def test_dropping_payloads_is_needed(few, tmp_path):
    chosen = policy(PUBLIC)
    redact.redact(few, tmp_path / "out", dataclasses.replace(chosen, dropped=chosen.dropped - {"payloads"}))
    assert survivors(tmp_path / "out")
