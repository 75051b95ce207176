"""`validate` on a growing bundle whose manifest is wrong about its state."""

import json

import pytest
from following import NAME
from log_strategies import small_logs
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.follow import Follower


@pytest.fixture
def growing(tmp_path):
    (tmp_path / NAME).write_bytes(small_logs()[3])
    seen = []

    def ended():
        if seen and seen[-1]["logs"]:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        Follower([tmp_path / NAME], tmp_path / "out", codec="none").run(ended, seen.append)
    return tmp_path / "out"


CHANGES = {
    "only one of 'growing' and 'live' is present": lambda manifest: manifest.pop("growing"),
    "'live' and 'logs' list different logs": lambda manifest: manifest["live"]["logs"].clear(),
    "more bytes than were read": lambda manifest: manifest["live"]["logs"][0].update(read_bytes=1),
    "has a last record without events": lambda manifest: manifest["live"]["logs"][0].update(last_record=None),
    "has no descriptor": lambda manifest: manifest["live"]["logs"][0]["last_record"].update(kind="nothing"),
    "is listed twice as running": lambda manifest: manifest["live"]["logs"][0]["running"].extend(
        manifest["live"]["logs"][0]["running"][:1]
    ),
    "but this one is finished": lambda manifest: (manifest.pop("growing"), manifest.pop("live")),
}


@pytest.mark.parametrize("said", CHANGES)
def test_each_contradiction_is_reported(said, growing):
    assert validate(Bundle.open(growing)) == []
    manifest = json.loads((growing / "manifest.json").read_text())
    CHANGES[said](manifest)
    (growing / "manifest.json").write_text(json.dumps(manifest))
    assert any(said in problem for problem in validate(Bundle.open(growing)))
