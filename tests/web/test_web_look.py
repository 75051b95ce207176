"""Light and dark, contrast."""

import re

import pytest
from conftest import VIEWERS
from pages import becomes
from playwright.sync_api import expect

BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def luminance(rgb):
    parts = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (value / 255 for value in rgb)
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb(text):
    return [float(part) for part in re.findall(r"[\d.]+", text)[:3]]


def test_follows_the_system_and_the_switch(page_that, bundle_of, address_of):
    page = page_that(color_scheme="dark")
    page.goto(address_of(bundle_of("basic_inference")))
    switch = page.get_by_role("button", name="Switch between light and dark")
    becomes(lambda: luminance(rgb(page.evaluate(BACKGROUND))) < 0.1)
    switch.click()
    becomes(lambda: luminance(rgb(page.evaluate(BACKGROUND))) > 0.9)
    page.reload()
    expect(switch).to_be_visible()
    becomes(lambda: luminance(rgb(page.evaluate(BACKGROUND))) > 0.9)  # the choice is remembered


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(page_that, bundle_of, address_of, scheme):
    page = page_that(color_scheme=scheme)
    page.goto(address_of(bundle_of("basic_inference")))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    colors = page.evaluate(
        """names => { const probe = document.createElement('span'); document.body.append(probe);
        const of = (name) => { probe.style.setProperty('color', `var(${name})`); return getComputedStyle(probe).color };
        const found = Object.fromEntries(names.map((name) => [name, of(name)])); probe.remove(); return found }""",
        names(),
    )
    for text in [*TEXT, *(name for name in colors if name.startswith("--t-"))]:
        for background in ("--bg", "--bg-2", "--accent-bg"):
            ratio = contrast(rgb(colors[text]), rgb(colors[background]))
            assert ratio >= 4.5, f"{text} on {background} in {scheme}: {ratio:.2f}"


TEXT = ("--text", "--dim", "--accent", "--ok", "--break", "--error", "--missing", "--recompile")


def names():
    return sorted(
        set(
            re.findall(
                r"^  (--[\w-]+): light-dark",
                (VIEWERS / "lib" / "page" / "tokens.css").read_text(),
                re.MULTILINE,
            )
        )
    )


def test_status_is_a_word_not_only_a_color(show):
    page, bundle = show("failures", "#v=1&view=compiles")
    for status in {c.status for c in bundle.logs[0].compiles if c.status}:
        expect(page.get_by_role("gridcell", name=status).first).to_be_visible()
