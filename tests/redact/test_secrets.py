"""Sixty secrets in every place of a log: none survives either preset, and each rule of the redaction counts."""

from pathlib import Path

import pytest
import zstandard
from secrets_of_logs import file_names, log_with, made
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.redact.leak_search import Line, leaks, lines_of_bundle
from tlparse_bundle.redact.leak_text import normalized, unescaped
from tlparse_bundle.redact.policy import PRESETS, policy
from tlparse_bundle.redact.redact import redact
from unguarded import unguarded

SECRETS = made()


def build_bundle(folder, secrets):
    """Build a bundle of a log with the secrets in all places, of some logs with them in their names, labelled
    with some.
    """
    (folder / "logs").mkdir(parents=True)
    data = log_with(secrets)
    for number, name in enumerate(file_names(secrets)):
        (folder / "logs" / name).write_bytes(data if number == 0 else data[:2000])
    with unguarded():
        build(
            discover([folder / "logs"]),
            folder / "bundle",
            jobs=1,
            label=" ".join(secret.text for secret in secrets if secret.text.isprintable())[:100],
            commit=secrets[-1].text,
            source_url="https://host/o/r/blob/{commit}/{path}",
            source_roots=[f"/{secret.text}" for secret in secrets if secret.text.isprintable()][:20],
        )
    return Bundle.open(folder / "bundle")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return build_bundle(tmp_path_factory.mktemp("secrets"), SECRETS)


def texts_of(folder):
    """Return everything in the result as one normalized text without invisible characters."""
    parts = []
    for path in sorted(folder.rglob("*")):
        parts.append(path.name)
        if path.is_file():
            data = path.read_bytes()
            data = zstandard.decompress(data) if path.suffix == ".zst" else data
            parts.append(data.decode("utf-8", "surrogateescape"))
    return normalized(unescaped("\n".join(parts)))


def survivors(folder):
    """Return the secrets that a plain search finds in the result."""
    everything = texts_of(folder)
    return [secret for secret in SECRETS if normalized(unescaped(secret.text)) in everything]


@pytest.mark.parametrize("preset", PRESETS)
def test_no_secret_survives(source, tmp_path, preset):
    redact(source, tmp_path / "out", policy(preset))
    assert survivors(tmp_path / "out") == []
    assert [str(leak) for leak in leaks(lines_of_bundle(source), tmp_path / "out").found] == []
    texts = [Line("secret", 0, secret.text.encode("utf-8", "surrogateescape")) for secret in SECRETS]
    assert [str(leak) for leak in leaks(texts, tmp_path / "out").found] == []


def test_every_secret_is_in_the_bundle_before(source):
    """Otherwise the test above would prove nothing."""
    everything = texts_of(Path(source.location))
    assert [secret for secret in SECRETS if normalized(unescaped(secret.text)) not in everything] == []
