"""axe finds nothing to complain about: every view, light and dark."""

import pytest
from addresses import PARTS
from axe import violations
from pages import go
from test_web_safety import hostile
from tlparse_bundle import Bundle


@pytest.fixture(scope="session", params=["light", "dark"])
def theme(request):
    return request.param


@pytest.fixture
def axe(page_that, bundle_of, address_of, theme):
    """axe(source, hashes): what axe complains about, as lines of text."""

    def check(source, hashes):
        page = page_that(color_scheme=theme, bypass_csp=True)
        page.goto(address_of(bundle_of(source)))
        found = []
        for hash in hashes:
            go(page, "#v=1&view=" + hash)
            found += [f"{hash}: {violation}" for violation in violations(page, theme)]
        return found

    return check


@pytest.mark.parametrize("fixture, hashes", PARTS)
def test_every_view(axe, bundle_of, fixture, hashes):
    log = Bundle.open(bundle_of(fixture)).logs[0].id
    found = axe(fixture, [hash.format(log=log) for hash in hashes])
    assert not found, "\n".join(found)


def test_hostile_bundle(axe):
    found = axe(hostile(), ["overview", "compile&compile=0/0", "diagnostics"])
    assert not found, "\n".join(found)
