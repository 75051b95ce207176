"""What looks like a secret in the logs of a bundle, by the rules of detect-secrets; and addresses of hosts and people."""

from __future__ import annotations

import re

from tlparse_bundle.errors import BundleError
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.redact.log import records, text_of
from tlparse_bundle.redact.text import ADDRESS, PUBLIC_HOSTS, URL

_MAX_LINES = 50_000  # distinct ones; the rules take their time
_MAX_LINE = 1_000  # characters
_NOISE = ("Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector")  # a log is full of hashes and versions
# A line without one of these is none that a rule takes for a secret.
_MAY_BE = re.compile(r"key|token|secret|passw|pwd|auth|credential|-----BEGIN|://[^/\s]*@|AKIA|hf_|ghp_|gho_|xox[a-z]-|sk-|eyJ", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-zA-Z]{2,24}\b")
_NO_ADDRESSES = ("127.0.0.1", "0.0.0.0")


def addresses(bundle: Bundle) -> list[str]:
    """Addresses of machines, sites and people, in the order of the logs, without those of torch's own pages and of the machine itself."""
    found: dict[str, None] = {}
    for log in bundle.logs:
        for junk, record in records(log):
            text = text_of(junk if record is None else record.kept + (b"" if record.payload is None else record.payload.data))
            found.update(dict.fromkeys(url for url in URL.findall(text) if not url.startswith(PUBLIC_HOSTS)))
            found.update(dict.fromkeys(address for address in ADDRESS.findall(text) if address not in _NO_ADDRESSES))
            if "@" in text:
                found.update(dict.fromkeys(_MAIL.findall(text)))
    return list(found)


def secrets(bundle: Bundle) -> list[str]:
    """One line for each place: the kind and the log. Raises BundleError without the package."""
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.core.scan import scan_line
        from detect_secrets.settings import transient_settings
    except ImportError:
        raise BundleError("what looks like a secret cannot be told without detect-secrets", hint="pip install 'tlparse-bundle[secrets]'", code="not-installed") from None
    plugins = [{"name": kind.__name__} for kind in get_mapping_from_secret_type_to_class().values() if kind.__name__ not in _NOISE]
    seen: set[str] = set()
    found: list[str] = []
    with transient_settings({"plugins_used": plugins}):
        for log in bundle.logs:
            for junk, record in records(log):
                data = junk if record is None else record.kept + (b"" if record.payload is None else record.payload.data)
                for line in text_of(data).split("\n"):
                    if len(seen) < _MAX_LINES and _MAY_BE.search(line) and line not in seen:
                        seen.add(line)
                        number = "" if record is None else f", line {record.line:,}"
                        found += [f"{secret.type} in log {log.id}{number}" for secret in scan_line(line[:_MAX_LINE])]
    return found
