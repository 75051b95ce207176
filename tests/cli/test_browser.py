"""A page opens through a private file: no argument of a program has the token."""

import json
import os
import re
import signal
import stat
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from following_commands import SMALL, Started
from waiting import until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the browser of the test is a script for a shell")


@pytest.fixture
def browser(tmp_path, monkeypatch):
    """A browser that writes down its arguments."""
    script, seen = tmp_path / "browser", tmp_path / "seen.json"
    script.write_text(
        f"#!{sys.executable}\nimport json, os, sys\n"
        f"open({str(seen)!r} + '.new', 'w').write(json.dumps(sys.argv[1:]))\n"
        f"os.rename({str(seen)!r} + '.new', {str(seen)!r})\n"
    )
    script.chmod(0o755)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "trace").symlink_to(SMALL)
    return script, seen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--open"),
        ("serve", "trace", "--open"),
        ("trace", "out", "--open"),
        ("follow", "trace", "out", "--open"),
    ],
)
def test_the_browser_gets_a_private_file(tmp_path, browser, arguments, number):
    if number != signal.SIGINT and arguments != ("serve", "--open"):
        pytest.skip("one command shows how it ends")
    script, seen = browser
    command = Started(tmp_path / "work", *arguments, browser=f"{script} %s")
    until(seen.exists)
    (address,) = json.loads(seen.read_text())
    page = Path(unquote(urlsplit(address).path))
    text = page.read_text()
    token = re.search(r"token=([\w-]+)", text)[1]
    assert address.startswith("file:///") and token not in address
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.parent.stat().st_mode) == 0o700
    if number == signal.SIGKILL:
        command.process.kill()
        until(page.exists, False)
        command.process.communicate()
        return
    _, out, errors = command.end(number)
    assert re.search(rf"http://127\.0\.0\.1:\d+/\S*token={token}", out + errors)
    until(page.exists, False)
