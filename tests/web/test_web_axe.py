"""axe finds no violation in hostile strings either. (All views: test_web_every_view.)"""

from axe import violations_in_both_themes
from pages import go
from test_web_safety import hostile


def test_hostile_bundle(page_that, bundle_of, address_of):
    page = page_that(bypass_csp=True)
    page.goto(address_of(bundle_of(hostile())))
    found = []
    for place in ("overview", "compile&compile=0/0", "diagnostics"):
        go(page, f"#v=1&view={place}")
        found += [f"{place} {violation}" for violation in violations_in_both_themes(page)]
    assert not found, "\n".join(found)
