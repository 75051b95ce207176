"""Pseudonyms: the same for one key, different for another, and no name can be tried out without the key."""

import hashlib
import hmac
import os

import pytest
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.redact.pseudonyms import KEY_BYTES, Pseudonyms, key_of_file, new_key


def test_one_key_gives_one_pseudonym():
    key = new_key()
    first, again, other = Pseudonyms(key), Pseudonyms(key), Pseudonyms(new_key())
    assert first.tag("train_step") == again.tag("train_step") != other.tag("train_step")
    assert len({first.tag(str(number)) for number in range(10_000)}) == 10_000
    assert first.tag("x" * 100_000) == again.tag("x" * 100_000)


def test_a_pseudonym_is_not_a_hash_of_the_name_alone():
    tag = Pseudonyms(bytes(KEY_BYTES)).tag("train_step")
    assert Pseudonyms(b"\1" * KEY_BYTES).tag("train_step") != tag
    assert tag == _tag(hmac.digest(bytes(KEY_BYTES), b"train_step", "sha256"))
    assert tag != _tag(hashlib.sha256(b"train_step").digest())


def _tag(digest):
    letters = "abcdefghijklmnopqrstuvwxyz234567"
    number = int.from_bytes(digest[:5], "big")
    return "".join(letters[number >> (5 * place) & 31] for place in range(7, -1, -1))


@pytest.mark.parametrize("text", ["密码", "पासवर्ड", "a\u200bb", "\udcff/x.py", "\0", ""])
def test_any_text_has_a_pseudonym(text):
    tag = Pseudonyms(bytes(KEY_BYTES)).tag(text)
    assert len(tag) == 8 and tag.isascii() and tag.isalnum()


@pytest.mark.parametrize("text", ["ab" * 32, "0123abcd" * 2, "140234567890123", "deadbeef" * 5])
def test_a_hash_keeps_its_form(text):
    new = Pseudonyms(bytes(KEY_BYTES)).hash(text)
    assert len(new) == len(text) and new != text and new.isdigit() == text.isdigit()


def test_what_is_not_a_hash_becomes_a_key():
    assert Pseudonyms(bytes(KEY_BYTES)).hash("f7k2-not-hex").startswith("key_")


def test_a_key_file_is_written_once_and_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "names.key"
    key = key_of_file(path)
    assert len(key) == KEY_BYTES and path.stat().st_mode & 0o777 == 0o600
    assert key_of_file(path) == key != key_of_file(tmp_path / "other.key")


@pytest.mark.parametrize("content", [b"", b"secret", b"ab" * 31, b"ab" * 33, b"\xff" * 64, b"zz" * 32])
def test_a_file_without_a_key_is_refused(tmp_path, content):
    path = tmp_path / "names.key"
    path.write_bytes(content)
    with pytest.raises(BundleError, match="is not a key file") as error:
        key_of_file(path)
    assert error.value.exit_code == 2 and path.read_bytes() == content


def test_a_key_file_that_cannot_be_used_is_reported(tmp_path):
    for path in (tmp_path, tmp_path / "missing" / "names.key"):
        with pytest.raises(BundleError, match="cannot be used"):
            key_of_file(path)
    if os.geteuid():
        closed = tmp_path / "closed.key"
        closed.touch(0o000)
        with pytest.raises(BundleError, match="cannot be used"):
            key_of_file(closed)
