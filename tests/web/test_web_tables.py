"""Symbols, tensors, kernels, exports, anatomy: hostile strings are shown as text."""

import json

from log_builder import record
from pages import settle
from playwright.sync_api import expect

EVIL = "<img src=x onerror=\"document.title='broken'\">"
VIEWS = [
    "symbols",
    "tensors",
    "kernels",
    "export",
    "anatomy",
    "anatomy&by=origin",
    "anatomy&by=compile",
    "compile&compile=0/0",
    "compile&compile=0/0&artifact=~metrics",
]


def hostile():
    stack = [{"line": 1, "name": EVIL, "filename": 0, "loc": EVIL}]
    both = {"user_stack": stack, "stack": stack}
    code = (
        f"# AOT ID: ['0_inference']\nasync_compile = 1\ncpp_fused_{'x'} ="
        f" async_compile.cpp_pybinding(['{EVIL}'], '''\n''')\ndef call(args):\n    extern_kernels.mm(1)\n"
    )
    return b"".join([
        record("str " + json.dumps([EVIL, 0])),
        record("dynamo_start 0/0 " + json.dumps({"stack": stack})),
        record("describe_storage 0/0 " + json.dumps({"id": 0, "describer_id": 0, "size": EVIL})),
        record("describe_tensor 0/0 " + json.dumps({"id": 0, "describer_id": 0, "ndim": 1, "dtype": EVIL, "device": EVIL, "size": [EVIL], "stride": [1], "storage": 0, "layout": EVIL})),
        record("describe_source 0/0 " + json.dumps({"id": 0, "describer_id": 0, "source": EVIL})),
        record("create_symbol 0/0 " + json.dumps({"symbol": EVIL, "val": EVIL, "vr": EVIL, "source": EVIL, **both})),
        record("guard_added_fast 0/0 " + json.dumps({"expr": EVIL, **both})),
        record("symbolic_shape_specialization 0/0 " + json.dumps({"symbol": EVIL, "sources": [EVIL], "value": EVIL, "reason": EVIL, **both})),
        record("inductor_output_code 0/0 " + json.dumps({"filename": EVIL}), payload=code),
        record("export 0/0 {}"),
        record("missing_fake_kernel 0/0 " + json.dumps({"op": EVIL})),
        record("mismatched_fake_kernel 0/0 " + json.dumps({"op": EVIL, "reason": EVIL})),
        record("compilation_metrics 0/0 " + json.dumps({"co_name": EVIL, "inductor_config": json.dumps({EVIL: EVIL}), EVIL: EVIL})),
        record("artifact:x 0/0 " + json.dumps({"name": EVIL}), payload=EVIL),
    ])  # fmt: skip


def test_hostile_strings_are_text(show):
    page, _ = show(hostile(), "#v=1&view=anatomy")
    for view in VIEWS:
        page.goto(page.url.split("#")[0] + f"#v=1&view={view}")
        settle(page)
        for fold in page.locator("main details > summary").all():
            fold.click()
        if view != "anatomy&by=origin":
            expect(page.get_by_role("main")).to_contain_text("<img src=x onerror=")
        assert page.locator("img, script:not([src])").count() == 0
        assert "broken" not in page.title().replace(EVIL, "")
