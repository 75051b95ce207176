"""The format document and the script that writes its generated parts, for the tests of both."""

import re
import types

import traces

DOCUMENT = traces.ROOT / "docs" / "json-format.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)

script = types.ModuleType("docs")
script.__file__ = str(traces.ROOT / "scripts" / "docs")
exec(
    compile((traces.ROOT / "scripts" / "docs").read_text(encoding="utf-8"), script.__file__, "exec"),
    script.__dict__,
)
SCHEMAS = script.schemas()
