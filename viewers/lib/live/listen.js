// Hears of new states of a bundle: its server tells, where it can; any other is asked now and then whether the manifest is another one.
// Nobody listens for a page that nobody sees, so that a browser with many tabs keeps connections for what is looked at.

const SERVER = "Tlparse-Bundle-Live"; // the header by which our server says that it tells
const ASK_MS = 3_000,
  AGAIN_MS = 1_000,
  LONGEST_MS = 30_000,
  ANSWER_MS = 20_000;
const LOOK_MS = 5_000,
  ASLEEP_MS = 15_000,
  SILENT_MS = 30_000;
const SETTLED_MS = 2_000;
const STREAMS = 3; // of one browser: it has six connections to a server, and needs some to read

export class Listener {
  /**
   * @param {URL} folder of the bundle
   * @param {{onnews: () => void, onanswer: (ahead_ms: number | null) => void, onlost: () => void}} tell
   *   onnews: there may be a new state; onanswer: the server is there, and its clock is so far ahead of this one; onlost: it does not answer
   */
  constructor(folder, tell) {
    this.manifest = new URL("manifest.json", folder);
    this.stream = new URL(this.manifest.href.replace(/\/manifest\.json$/, ".events"));
    this.tell = tell;
    this.tag = "";
    this.wait = AGAIN_MS;
    this.timer = this.looking = 0;
    this.heard = this.awake = 0; // when the server said something last, and when this page was known to be awake
    this.asking = false;
    this.ended = false;
    /** @type {EventSource | null} */
    this.source = null;
    /** @type {(() => void) | null} lets another page of this browser have a stream */
    this.release = null;
    this.onsight = () => (document.visibilityState === "visible" ? void this.ask() : this.rest());
    document.addEventListener("visibilitychange", this.onsight);
    void this.ask();
  }

  /** Not any more. */
  end() {
    this.ended = true;
    document.removeEventListener("visibilitychange", this.onsight);
    this.rest();
  }

  /** Until somebody looks at the page again. */
  rest() {
    clearTimeout(this.timer);
    clearInterval(this.looking);
    this.source?.close();
    this.source = null;
    this.release?.();
    this.release = null;
  }

  /** @param {number} ms */
  later(ms) {
    clearTimeout(this.timer);
    if (!this.ended && document.visibilityState === "visible") this.timer = setTimeout(() => this.ask(), ms);
  }

  /** Whether the manifest is another one, and whether its server tells by itself from now on. */
  async ask() {
    if (this.asking || this.source || this.ended) return;
    this.asking = true;
    const response = await fetch(this.manifest, {
      method: "HEAD",
      cache: "no-store",
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => null);
    this.asking = false;
    if (this.ended) return;
    if (!response || (!response.ok && response.status !== 404)) return this.lost();
    this.wait = AGAIN_MS;
    const now = Date.parse(response.headers.get("date") ?? "");
    this.tell.onanswer(Number.isNaN(now) ? null : now + 500 - Date.now()); // it counts in seconds
    const tag = response.headers.get("etag") ?? lastModified(response, now);
    if (response.ok && (!tag || tag !== this.tag)) this.tell.onnews();
    this.tag = tag;
    if (!(response.ok && response.headers.get(SERVER)?.includes("events") && (await this.listen())))
      this.later(ASK_MS);
  }

  lost() {
    this.tell.onlost();
    this.later(this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_MS);
  }

  /** Whether the page has a stream from now on. */
  async listen() {
    if (!(await this.turn()) || this.ended || document.visibilityState !== "visible") return false;
    const source = (this.source = new EventSource(this.stream));
    this.heard = this.awake = Date.now();
    this.looking = setInterval(() => this.look(), LOOK_MS);
    source.onmessage = () => {
      this.heard = Date.now();
      this.wait = AGAIN_MS;
      this.tag = ""; // what is asked after this stream may be newer
      this.tell.onnews();
    };
    source.onerror = () => {
      // it would try again by itself, more often than a server that is gone needs
      if (this.source !== source) return;
      this.rest();
      this.later(this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_MS);
    };
    return true;
  }

  /** A connection that broke while the machine slept, or on the way, says nothing of it: after a silence, and when the page wakes, it is made anew. */
  look() {
    const now = Date.now(),
      slept = now - this.awake > ASLEEP_MS;
    this.awake = now;
    if (!slept && now - this.heard < SILENT_MS) return;
    this.rest();
    void this.ask();
  }

  /** Waits for no other page: where all streams are taken, this one asks. @returns {Promise<boolean>} */
  async turn() {
    if (!navigator.locks) return true; // plain http to another machine
    for (let n = 0; n < STREAMS; n++) {
      const free = await new Promise((resolve) => {
        void navigator.locks.request(`tlparse-bundle.events.${n}`, { ifAvailable: true }, (lock) => {
          resolve(lock !== null);
          return (
            lock &&
            new Promise((release) => {
              this.release = () => release(undefined);
            })
          );
        });
      });
      if (free) return true;
    }
    return false;
  }
}

/**
 * What names the state of the manifest on a server without ETags; empty when another state could have the same name, since
 * Last-Modified counts in seconds. @param {Response} response @param {number} nowMs the time of the server, NaN when it sends none
 */
function lastModified(response, nowMs) {
  const text = response.headers.get("last-modified") ?? "";
  return nowMs - Date.parse(text) >= SETTLED_MS ? text : "";
}
