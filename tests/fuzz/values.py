"""Values that no sound bundle and no log of torch holds."""

MARK = "c4n4ry-7f3b"  # is in files outside the case; nothing may reveal it
FORGED = "FORGED-LINE"  # no line of a terminal begins with it

NUMBERS = [
    -1, 0, 1, 2, -2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**31), -(2**63), 10**30, 10**400,
    -0.0, 0.5, -1.5, 1e15, 1e16, 1e300, 1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf"),
]  # fmt: skip
PATHS = [
    "../../x", "../../../canary/secret", "../../canary/secret", "../canary/secret", "..", ".", "", "/", "/etc/passwd", "/dev/zero", "/dev/stdin", "/proc/self/environ",
    "//host/x", "\\\\host\\share\\x", "C:\\x", "C:x", "~/x", "file:///etc/passwd", "http://127.0.0.1:1/x", "s3://bucket/x", "manifest.json", "manifest.json/", "logs", "blobs",
    "logs/../manifest.json", "./manifest.json", "logs//log.json", "blobs/../../../canary/secret", "blobs/00/" + "0" * 64, "%2e%2e/%2e%2e/x", "..\\..\\x", "CON", "nul.txt",
    "sitecustomize.py", ".bashrc", "-rf", "x" * 300, "x/" * 600, "a\0b", "é/\u202e", "x.zst", "x.gz", "logs/x/log.json.zst",
]  # fmt: skip
TEXTS = [
    "\x1b[2J\x1b]0;title\x07", "\x9b31m", "\x1b[31m", "\x07\x08\x7f", f"a\n{FORGED}", f"a\r{FORGED}", f"x\r\n{FORGED}: sound", f"\u2028{FORGED}", "\u202eevil\u202c", "\u2066x\u2069",
    "\ud800", "a\udfffb", "\0", "</script><img src=x onerror=alert(1)>", "<b>", "javascript:alert(1)", "__proto__", "constructor", "{0}%s%n{x}", "${x}`", "0", "-", "0/0", "0/0@2",
    "lf", "crlf", "verbatim", "ok", "zstd", "gzip", "none", "a" * 70_000, "\n" * 1000, "[bold]x[/bold]", "0" * 64, "f" * 64, "9" * 5000, "é" * 300,
]  # fmt: skip
OTHERS = [None, True, False, [], {}, [[]], [None], {"a": 1}, [0], [""], {"": {}}, {"__proto__": {"x": 1}}]
DEPTHS = [50, 200, 900, 1000, 1023, 5000, 100_000]
HUGE_TEXT = 10_000_000
HUGE_LIST = 200_000


def nested(depth, inner=0):
    """Return nested lists; depths that json refuses to write become Deep."""
    if depth > 100:
        return Deep(depth)
    for _ in range(depth):
        inner = [inner]
    return inner


class Deep(str):
    """Text for nested lists in JSON; dumps() of mutations.py inserts it."""

    def __new__(cls, depth):
        return super().__new__(cls, f"\u0001deep{depth}\u0001")


def scalar(rng):
    """Return any small value."""
    return rng.choice(rng.choice([NUMBERS, PATHS, TEXTS, OTHERS]))


def _small(rng):
    """Return a value that may repeat very often in a list."""
    value = scalar(rng)
    return value if len(str(value)) < 100 else None


def anything(rng):
    """Return any value, rarely a large one."""
    if rng.random() > 0.04:
        return scalar(rng)
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(["x", "\x1b", "é", "\n", "../"]) * (HUGE_TEXT // 3)
    if kind == 1:
        return [_small(rng)] * HUGE_LIST
    if kind == 2:
        return list(range(HUGE_LIST))
    if kind == 3:
        return {f"{n}": n for n in range(HUGE_LIST // 2)}
    return nested(rng.choice(DEPTHS))


def like(rng, value):
    """Return another value of about the same type."""
    if type(value) in (int, float):
        near = (
            [value + 1, value - 1, -value, value * 1000, value * 2**40]
            if value == value and abs(value) < 1e300
            else []
        )
        return rng.choice([*near, *NUMBERS])
    if type(value) is str:
        return rng.choice(
            [
                rng.choice(PATHS),
                rng.choice(TEXTS),
                value + rng.choice(TEXTS),
                value[:-1],
                value.upper(),
                value + "/",
                "../" + value,
                value[::-1],
            ]
        )
    return anything(rng)
