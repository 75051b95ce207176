"""Each screen looks as before: a small picture of it is compared with the one in pictures/.

After an intended change, TLPARSE_BUNDLE_UPDATE_PICTURES=1 rewrites them: look at each before it is committed.
"""

import base64
import os
from pathlib import Path

import pytest
from pages import open_page, settle

PICTURES = Path(__file__).parent / "pictures"
UPDATE = "TLPARSE_BUNDLE_UPDATE_PICTURES"
SCALE = 4  # a picture has a fourth of the width, which keeps visible features and drops font smoothing
FONT_WIDTH = 330  # pixels of PROBE: with other fonts the pages look different
PROBE = "The quick brown fox jumps over the lazy dog 0123"
SIZES = {
    "wide": (1440, 900),
    "small": (1024, 700),
    "zoomed": (720, 450),
    "phone": (400, 800),
}  # zoomed: 1440 × 900 at 200 %
MOST_DIFFERENT = 0.004  # share of the pixels
HOME = ("recompiles", "failures", "transformer", "ranks_extra_break", "provenance")
BUILT_US = 1_767_268_800_000_000
SCREENS = {  # picture: (fixture, viewer, state)
    "home": ("recompiles", "home", ""),
    "overview": ("recompiles", "default", ""),
    "failures": ("failures", "default", "#v=1&view=failures"),
    "recompiles": ("recompiles", "default", "#v=1&view=recompiles"),
    "compile": ("transformer", "default", "#v=1&view=compile&compile=0/0"),
    "code": (
        "transformer",
        "default",
        "#v=1&view=compile&compile=0/0&artifact=inductor_output_code&line=900",
    ),
    "timeline": ("transformer", "default", "#v=1&view=timeline"),
    "verdict": ("ranks_extra_break", "multirank", ""),
    "provenance": ("provenance", "provenance", "#v=1&pin=post:9"),
}

# Draws a picture small, and counts pixels that differ from another one.
COMPARE = """async ([shot, known, scale]) => {
  const load = async (data) => { const image = new Image(); image.src = data; await image.decode(); return image };
  const image = await load(shot);
  const [width, height] = [Math.round(image.width / scale), Math.round(image.height / scale)];
  const pixels = (image) => {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    return [canvas, context.getImageData(0, 0, width, height).data];
  };
  const [canvas, now] = pixels(image);
  const small = canvas.toDataURL("image/webp", 0.8);
  if (known === null) return [small, 1];
  const other = await load(known);
  if (other.width !== width || other.height !== height) return [small, 1];
  const then = pixels(other)[1], mine = pixels(await load(small))[1];
  let different = 0;
  for (let i = 0; i < now.length; i += 4) if (Math.abs(mine[i] - then[i]) + Math.abs(mine[i + 1] - then[i + 1]) + Math.abs(mine[i + 2] - then[i + 2]) > 120) different++;
  return [small, different / (width * height)];
}"""


@pytest.fixture(scope="session")
def canvas(browser, blank):
    """A page without a policy, to draw in."""
    page = open_page(browser, bypass_csp=True)
    page.goto(blank)
    width = page.evaluate(
        f"""() => {{ const probe = document.createElement("span"); probe.style.font = "13px system-ui"; probe.style.position = "absolute"; probe.textContent = {PROBE!r};
        document.body.append(probe); const {{ width }} = probe.getBoundingClientRect(); probe.remove(); return width }}"""
    )
    if round(width) != FONT_WIDTH:
        pytest.skip(
            f"the pictures were made with other fonts: a line is {width:.0f} px wide here, {FONT_WIDTH} there"
        )
    return page


def as_data(image, kind):
    return f"data:image/{kind};base64,{base64.b64encode(image).decode()}"


def in_order(route):
    """Answer with the list of bundles as if they had been built one after another: the page shows for each
    which run of its program was built before.
    """
    response = route.fetch()
    answer = response.json()
    for row in answer["bundles"]:
        row["built_us"] = BUILT_US + HOME.index(row["name"])
    route.fulfill(response=response, json=answer)


@pytest.mark.parametrize("screen", SCREENS)
def test_it_looks_as_before(canvas, new_page, bundle_of, served, one_server, screen):
    fixture, viewer, state = SCREENS[screen]
    page, changed = new_page(), []
    if viewer == "home":
        page.route("**/bundles.json", in_order)
        page.goto(served({name: bundle_of(name) for name in HOME}) + "/viewers/home/#sort=name")
    else:
        base, app = one_server
        page.goto(f"{base}/viewers/{viewer}/?bundle=/bundles/{app.add(bundle_of(fixture), fixture)}/{state}")
    settle(page)
    page.evaluate(
        "() => document.querySelectorAll('td.when').forEach((cell) => { cell.textContent = '2026-01-01"
        " 12:00' })"
    )
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            settle(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                f"{screen} at {width} px is too wide"
            )
            path = PICTURES / f"{screen}-{size}-{theme}.webp"
            known = as_data(path.read_bytes(), "webp") if path.exists() else None
            small, different = canvas.evaluate(
                COMPARE, [as_data(page.screenshot(animations="disabled", caret="hide"), "png"), known, SCALE]
            )
            if os.environ.get(UPDATE) and different > MOST_DIFFERENT / 4:
                PICTURES.mkdir(exist_ok=True)
                path.write_bytes(base64.b64decode(small.split(",")[1]))
            elif different > MOST_DIFFERENT:
                changed.append(f"{path.name}: {100 * different:.1f} % of it are different")
    assert not changed, f"{changed}; {UPDATE}=1 rewrites them"


def test_there_is_a_picture_of_each_screen_and_no_other():
    assert {path.name for path in PICTURES.iterdir()} == {
        f"{screen}-{size}-{theme}.webp" for screen in SCREENS for size in SIZES for theme in ("light", "dark")
    }
