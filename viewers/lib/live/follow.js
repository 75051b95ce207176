// Follows a growing bundle: reads each new state and shows it in place, without disturbing the user.
import { setAhead, stopAt, now, tick } from "./clock.js";
import { Listener } from "./listen.js";
import { Mark } from "./mark.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("./watch.js").Change} Change */

const TICK_MS = 1_000;
const SOONEST_MS = 400; // between two states
const REST = 2,
  MOST_REST_MS = 3_000; // times what showing the last one took
const HANDS_OFF_MS = 700; // after a key press, a click or a wheel event
const AGAIN_MS = 500;

/**
 * @param {Bundle} bundle
 * @param {{main: HTMLElement, place: () => Element | null, grown: (change: Change) => void | Promise<void>}}
 *   page
 */
export function follow(bundle, page) {
  let paused = false,
    news = false,
    lost = false,
    ended = false,
    showing = false,
    missing = false;
  let notBefore = 0,
    timer = 0;
  /** @type {Change | null} changes that are not shown yet */
  let owed = null;
  const hands = handsOn(page.main);
  const mark = new Mark(() => {
    paused = !paused;
    stopAt(paused ? now() : null);
    if (!paused) soon();
    draw();
  });

  const draw = () => {
    const slot = page.place();
    if (slot && mark.element.parentElement !== slot) slot.replaceChildren(mark.element);
    const live = bundle.manifest.live;
    const read = (live?.logs ?? []).map(({ read_epoch_us: us }) => us).filter((us) => us !== null);
    mark.show(
      ended
        ? "finished"
        : paused
          ? "paused"
          : lost
            ? "lost"
            : news && !showing && hands.busy()
              ? "waits"
              : "live",
      {
        read_us: read.length ? read.reduce((a, b) => Math.max(a, b)) : null,
        state_us: live?.written_epoch_us ?? 0,
      },
    );
    if (!paused) tick(document);
  };

  /** Show the next state when it is due and the user is idle. */
  const soon = () => {
    clearTimeout(timer);
    if (ended || showing || !(news || missing) || (paused && !missing)) return;
    const wait = Math.max(notBefore - performance.now(), hands.left());
    if (wait > 0) timer = setTimeout(soon, wait);
    else void show();
  };

  const show = async () => {
    showing = true;
    mark.of(null);
    news = missing = false;
    const begun = performance.now();
    try {
      const change = await bundle.renew();
      if (change)
        owed = {
          logs: new Set([...change.logs, ...(owed?.logs ?? [])]),
          ranks: change.ranks || owed?.ranks === true,
        };
      if (owed) await page.grown(owed);
      owed = null;
      lost = false;
      ended = !bundle.manifest.growing;
    } catch (error) {
      // the bundle is being replaced, a file belongs to a replaced state, or the server is gone
      console.debug(error);
      news = true;
      notBefore = performance.now() + AGAIN_MS;
    }
    showing = false;
    mark.of(owed ? null : (bundle.manifest.live?.counter ?? null));
    if (!news)
      notBefore =
        performance.now() + Math.max(SOONEST_MS, Math.min(MOST_REST_MS, REST * (performance.now() - begun)));
    if (ended) return finish();
    draw();
    soon();
  };

  const finish = () => {
    clearInterval(clock);
    listener.end();
    bundle.onmissing = null;
    stopAt(null);
    draw();
    void import("../page/rebuilt.js").then(({ watchRebuilt }) => watchRebuilt(bundle));
  };

  bundle.onmissing = () => {
    // the state on the page is replaced: the requested file is in a newer one
    missing = true;
    soon();
  };
  const listener = new Listener(/** @type {URL} */ (bundle.source.url), {
    onnews: () => {
      news = true;
      lost = false;
      soon();
    },
    onanswer: (ahead) => {
      setAhead(ahead);
      lost = false;
      draw();
    },
    onlost: () => {
      lost = true;
      draw();
    },
  });
  mark.of(bundle.manifest.live?.counter ?? null);
  const clock = setInterval(() => {
    draw();
    soon();
  }, TICK_MS);
  draw();
}

/**
 * Return whether the user is interacting with the page, which must not change then.
 * @param {HTMLElement} main
 */
function handsOn(main) {
  let last = -Infinity,
    down = false;
  const touch = () => {
    last = performance.now();
  };
  addEventListener("keydown", touch, { passive: true, capture: true });
  addEventListener("wheel", touch, { passive: true, capture: true });
  addEventListener(
    "pointerdown",
    () => {
      down = true;
      touch();
    },
    { passive: true, capture: true },
  );
  for (const up of ["pointerup", "pointercancel", "blur"])
    addEventListener(
      up,
      () => {
        if (down) touch();
        down = false;
      },
      { passive: true, capture: true },
    );
  const held = () => {
    const selection = getSelection();
    return (
      down ||
      document.querySelector("dialog[open]") !== null ||
      (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode))
    );
  };
  return {
    busy: held,
    /** Return how long to wait, in milliseconds. */
    left: () => (held() ? HANDS_OFF_MS : Math.max(0, HANDS_OFF_MS - (performance.now() - last))),
  };
}
