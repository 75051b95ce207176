"""The independent search for leaks finds every kind of secret in every disguise, and nothing else."""

import json
import zipfile

import pytest
import zstandard
from secrets_of_logs import WAYS, made
from tlparse_bundle.redact.leak_features import Public
from tlparse_bundle.redact.leak_search import Line, leaks, lines_of_bundle, lines_of_files

SECRETS = made()


def lines(secrets):
    return [
        Line("log", number, f"V0401 x] {secret.text} y".encode("utf-8", "surrogateescape"))
        for number, secret in enumerate(secrets, 1)
    ]


def places_found(secrets, folder, file):
    return {leak.place for leak in leaks(lines(secrets), folder, limit=10_000).found if leak.file == file}


@pytest.mark.parametrize("way", WAYS)
def test_each_secret_is_found_in_each_disguise(tmp_path, way):
    planted = [f"see {WAYS[way](secret.text)} now" for secret in SECRETS]
    (tmp_path / "rows.json").write_text(json.dumps(planted))
    found = places_found(SECRETS, tmp_path, "rows.json")
    assert [
        (secret.kind, secret.text) for number, secret in enumerate(SECRETS) if f"$[{number}]" not in found
    ] == []


def test_secrets_are_found_as_keys_in_plain_text_and_in_archives(tmp_path):
    text = "\n".join(f"- {secret.text}" for secret in SECRETS)
    data = text.encode("utf-8", "surrogateescape")
    (tmp_path / "notes.txt.zst").write_bytes(zstandard.compress(data))
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("notes.txt", b"\n" + data)
    (tmp_path / "keys.jsonl").write_text(
        "".join(json.dumps({"a": 1, secret.text: 2}) + "\n" for secret in SECRETS)
    )
    for file, first in (("notes.txt.zst", 1), ("all.zip/notes.txt", 2), ("keys.jsonl", 1)):
        (tmp_path / "only").mkdir(exist_ok=True)
        name = file.split("/")[0]
        target = tmp_path / "only" / name
        target.write_bytes((tmp_path / name).read_bytes())
        found = {place.partition(":")[0] for place in places_found(SECRETS, tmp_path / "only", file)}
        target.unlink()
        assert [secret for number, secret in enumerate(SECRETS, first) if f"line {number}" not in found] == []


def test_a_secret_in_a_file_name_is_found(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "ip-10-31-77-204.json").write_text("{}")
    found = leaks([Line("log", 3, b"on ip-10-31-77-204 at")], tmp_path)
    assert (found.count, found.found[0].file, found.found[0].place) == (
        1,
        "logs/ip-10-31-77-204.json",
        "its name",
    )
    assert str(found.found[0]).startswith("'logs/ip-10-31-77-204.json'")


def test_numbers_of_fields_are_structure_and_others_are_not(tmp_path):
    (tmp_path / "row.json").write_text(
        '{"start_us": 4111111222333444, "config": {"account": 4111111222333444}}'
    )
    secret = [Line("log", 1, b'{"note": "card 4111111222333444"}')]
    assert {leak.place for leak in leaks(secret, tmp_path).found} == {"$.config.account"}
    measured = [Line("log", 1, b'{"ts": 4111111222333444, "x": 3}')]
    assert leaks(measured, tmp_path).count == 0


def test_public_text_is_not_a_leak(tmp_path):
    public = [
        "triton_poi_fused_add_mul_relu_0",
        "torch.ops.aten.convolution_backward.default",
        "torch/_inductor/compile_fx.py",
        "_dynamo/convert_frame.py",
        "float32",
        "s0 + s1",
        "[0/0]",
        "inductor_compile",
    ]
    (tmp_path / "rows.json").write_text(json.dumps(public))
    raw = [Line("log", number, f"x {text} y".encode()) for number, text in enumerate(public)]
    assert [str(leak) for leak in leaks(raw, tmp_path).found] == []


def test_random_bytes_are_not_taken_for_text(tmp_path):
    """What looks like base64 can be UTF-8 by chance: here the name of a table and a number."""
    (tmp_path / "rows.json").write_text('["rank_findings", "_e_findings"]')
    raw = [Line("log", 1, "\u074a \u06ed \u04cf".encode())]
    assert [str(leak) for leak in leaks(raw, tmp_path).found] == []


def test_logs_are_read_from_files_and_from_bundles(root, built):
    (path,) = (root / "fixtures" / "killed" / "trace").glob("*.log")
    bundle = built(path.parent)
    of_bundle = [line.data for line in lines_of_bundle(bundle) if line.number]
    assert of_bundle == [line.data for line in lines_of_files([path]) if line.number]
    assert b"\n".join(of_bundle) == path.read_bytes().rstrip(b"\n")
    names = {line.data.decode() for line in lines_of_bundle(bundle) if not line.number}
    (log,) = bundle.logs
    hashes = {row["sha256"] for row in log.blobs.values()}
    assert {log.source, log.row["source"]["sha256"], *hashes} == names


def test_text_that_only_looks_like_json_is_searched_too(tmp_path):
    (tmp_path / "deep.json").write_text("[" * 100_000 + '"zukofavix"' + "]" * 100_000)
    assert leaks([Line("log", 1, b"of zukofavix")], tmp_path).count == 1


def test_long_lines_are_searched_in_pieces(tmp_path):
    (tmp_path / "rows.json").write_text('["my zukofavix"]')
    data = b'["' + b"a " * 600_000 + b'zukofavix"]'
    assert leaks([Line("log", 1, data)], tmp_path).count == 1
    at_the_border = b" " * ((1 << 20) - 4) + b"zukofavix"
    assert leaks([Line("log", 1, at_the_border)], tmp_path).count == 1


@pytest.mark.parametrize("text", ["xyq.wvu/torch", "torch/xyq.wvu"])
def test_the_shortest_piece_between_public_words_is_searched(text):
    assert list(Public(["torch"]).grams(text))


@pytest.mark.parametrize(
    ("secret", "shown", "kind"),
    [
        ("zq1.kq2.v7", "9:zq1.kq2.v8", "part"),
        ("zuko-favix", "zukofavix2", "joined"),
        ("zukofavix", "zukofavix", "word"),
        ("10.31.77.204", "10-31-77-204", "address"),
        ("411-111-222", "411 111 222 9", "separated digits"),
        ("41111112223334", "41111112223334", "digits"),
        ("00-1a-2b-3c-4d-5e", "001a2b3c4d5e", "hex"),
        ("\u5bc6", "\u5bc6", "letter"),
    ],
)
def test_a_result_with_a_secret_of_one_kind(tmp_path, secret, shown, kind):
    (tmp_path / "rows.json").write_text(json.dumps([shown]))
    found = leaks([Line("log", 7, f"see {secret} here".encode())], tmp_path)
    assert [(leak.kind, leak.log, leak.line, leak.file) for leak in found.found] == [
        (kind, "log", 7, "rows.json")
    ]
    assert leaks([Line("log", 7, b"see nothing here")], tmp_path).count == 0
