"""Search all files of a redacted bundle for all strings of its log, in any encoding.

`tests/brute_force.py` reads the logs. A few logs here; TLPARSE_BUNDLE_ALL_LOGS=1 takes all fixtures and all
public traces, which takes twenty minutes.
"""

import base64
import io
import json
import os
import tarfile
from collections import Counter
from urllib.parse import quote

import pytest
import traces
import zstandard
from brute_force import PrivateText, Public, left_over, logs_at, texts_of_bundle
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.redact.policy import PRESETS, policy
from tlparse_bundle.redact.redact import redact
from unguarded import unguarded

FIXTURES = traces.ROOT / "fixtures"
SHARED = traces.PUBLIC.parent
ALL = bool(os.environ.get("TLPARSE_BUNDLE_ALL_LOGS"))
QUICK = ("failures/trace", "nonascii/trace", "export_dtrace/trace", "versions/2.3.1/ddp")
PROGRAM = b"""V1121 07:20:59.479000 7140 torch/_logging/structured.py:28] {"str": ["/home/ann/shop/train.py", 0]}
V1121 07:20:59.479000 7140 torch/_dynamo/convert_frame.py:28] {"dynamo_start": {"stack": [{"line": 3, "name": "pay_invoice", "filename": 0, "loc": "total = ledger(x) + tax_rate(offset)"}]}, "frame_id": 0}
"""


def places():
    """Yield (name, a log or a folder of logs) of everything."""
    folders = list(FIXTURES.glob("*/trace"))
    folders += {
        path.parent
        for room in ("jobs", "pairs", "versions", "vllm")
        for path in (FIXTURES / room).rglob("*.log*")
    }
    files = [path for room in ("single", "provenance") for path in (traces.PUBLIC / room).glob("*")]
    folders += [path for path in traces.PUBLIC.glob("*") if path.name not in ("single", "provenance")]
    return sorted({*folders, *files})


def archives():
    return [path / "logs.tar.zst" for path in (SHARED / "versions", SHARED / "vllm") if path.is_dir()]


@pytest.fixture(scope="module")
def public():
    return Public()


def kinds(bundle):
    return [Counter(row["kind"] for row in log.findings()) for log in bundle.logs], bundle.job and Counter(
        row["kind"] for row in bundle.rank_table("rank_findings")
    )


def hold(source, public, place, out, preset):
    redact(source, out, policy(preset))
    new = Bundle.open(out)
    assert validate(new) == [] and kinds(new) == kinds(source)
    assert left_over(PrivateText(public, logs_at(place)), texts_of_bundle(out)) == {}


def cases():
    """Return the cases; few logs are enough for both presets, because only payloads stay for a vendor."""
    some = places() if ALL else [FIXTURES / name for name in QUICK]
    for place in some:
        for preset in PRESETS if ALL or place == some[0] else ["share-with-vendor"]:
            base = traces.ROOT if traces.ROOT in place.parents else SHARED
            yield pytest.param(place, preset, id=f"{place.relative_to(base)}-{preset}")


@pytest.mark.parametrize(("place", "preset"), list(cases()))
def test_no_string_of_the_log_is_left(built, public, tmp_path, place, preset):
    hold(built(place), public, place, tmp_path / "out", preset)


@pytest.mark.skipif(not ALL, reason="all logs are asked for with TLPARSE_BUNDLE_ALL_LOGS=1")
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("archive", archives(), ids=lambda path: path.parent.name)
def test_no_string_of_many_runs_is_left(public, tmp_path, archive, preset):
    """Each run, and all of them as one bundle."""
    with zstandard.open(archive, "rb") as stream, tarfile.open(fileobj=io.BytesIO(stream.read())) as tar:
        tar.extractall(tmp_path / "logs", filter="data")
    runs = sorted({path.parent for path in (tmp_path / "logs").rglob("*.log")})
    for number, place in enumerate([*runs, tmp_path / "logs"]):
        with unguarded():
            build(discover([place]), tmp_path / f"bundle{number}", jobs=1)
        hold(Bundle.open(tmp_path / f"bundle{number}"), public, place, tmp_path / f"out{number}", preset)


WAYS = {
    "as it is": str,
    "escaped": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "escaped twice": lambda text: json.dumps(json.dumps({"a": [text]})),
    "with slashes as JSON may write them": lambda text: text.replace("/", "\\/"),
    "percent-encoded": lambda text: quote(text.replace("_", "\x5f"), safe="").replace("a", "%61"),
    "in base64": lambda text: base64.b64encode(f"some {text} more".encode()).decode(),
    "among other words": lambda text: f"x = ({text}), y",
}


@pytest.mark.parametrize("way", WAYS)
def test_the_search_finds_remaining_strings(public, way):
    said = PrivateText(public, [PROGRAM])
    for kind, text in {
        "names": "pay_invoice",
        "words": "ledger",
        "paths": "/home/ann/shop/train.py",
        "lines": "total = ledger(x) + tax_rate(offset)",
    }.items():
        assert text.replace("_", "") in "".join(left_over(said, [WAYS[way](text)])[kind]).replace("_", "")
    assert left_over(said, [WAYS[way]("triton_poi_fused_add_0 = torch.add(x, forward)")]) == {}


def test_a_name_is_found_within_another(public):
    assert left_over(PrivateText(public, [PROGRAM]), ["triton_poi_fused_invoice_0"]) == {"words": ["invoice"]}
