// Detects new states of a bundle: our server sends events; other servers are polled for a new manifest.
// A hidden page does not listen, so many tabs don't use up the browser's connections.

const SERVER = "Tlparse-Bundle-Live"; // a response header: this server sends events
const ASK_MS = 3_000,
  AGAIN_MS = 1_000,
  LONGEST_MS = 30_000,
  ANSWER_MS = 20_000;
const LOOK_MS = 5_000,
  ASLEEP_MS = 15_000,
  SILENT_MS = 30_000;
const SETTLED_MS = 2_000;
const STREAMS = 3; // per browser, which has six connections to a server and needs some to read

export class Listener {
  /**
   * @param {URL} folder of the bundle
   * @param {{onnews: () => void, onanswer: (ahead_ms: number | null) => void, onlost: () => void}} tell
   *   onnews: there may be a new state; onanswer: the server responds, its clock is this far ahead; onlost: it does not respond
   */
  constructor(folder, tell) {
    this.manifest = new URL("manifest.json", folder);
    this.stream = new URL(this.manifest.href.replace(/\/manifest\.json$/, ".events"));
    this.tell = tell;
    this.tag = "";
    this.wait = AGAIN_MS;
    this.timer = this.looking = 0;
    this.heard = this.awake = 0; // when the server last sent something, and when this page last ran
    this.asking = false;
    this.ended = false;
    /** @type {EventSource | null} */
    this.source = null;
    /** @type {(() => void) | null} frees the stream for a different page of this browser */
    this.release = null;
    this.onsight = () => (document.visibilityState === "visible" ? void this.ask() : this.rest());
    document.addEventListener("visibilitychange", this.onsight);
    void this.ask();
  }

  /** Stop for good. */
  end() {
    this.ended = true;
    document.removeEventListener("visibilitychange", this.onsight);
    this.rest();
  }

  /** Pause until the page is visible. */
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

  /** Check for a new manifest, and whether its server sends events. */
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
    this.tell.onanswer(Number.isNaN(now) ? null : now + 500 - Date.now()); // the Date header has whole seconds
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

  /** Open a stream; return whether there is one. */
  async listen() {
    if (!(await this.turn()) || this.ended || document.visibilityState !== "visible") return false;
    const source = (this.source = new EventSource(this.stream));
    this.heard = this.awake = Date.now();
    this.looking = setInterval(() => this.look(), LOOK_MS);
    source.onmessage = () => {
      this.heard = Date.now();
      this.wait = AGAIN_MS;
      this.tag = ""; // a poll after this stream may find a newer state
      this.tell.onnews();
    };
    source.onerror = () => {
      // it would reconnect by itself, too often for a server that is gone
      if (this.source !== source) return;
      this.rest();
      this.later(this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_MS);
    };
    return true;
  }

  /** Reconnect after a silence and after sleep, since a broken connection may raise no event. */
  look() {
    const now = Date.now(),
      slept = now - this.awake > ASLEEP_MS;
    this.awake = now;
    if (!slept && now - this.heard < SILENT_MS) return;
    this.rest();
    void this.ask();
  }

  /** Take a stream if one is free; without one, this page polls. @returns {Promise<boolean>} */
  async turn() {
    if (!navigator.locks) return true; // no locks over plain HTTP to a remote host
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
 * Return a tag of the manifest's state on a server without ETags; empty if a newer state could have the same
 * tag, since
 * Last-Modified counts in seconds.
 * @param {Response} response @param {number} nowMs the time of the server, NaN when it sends none
 */
function lastModified(response, nowMs) {
  const text = response.headers.get("last-modified") ?? "";
  return nowMs - Date.parse(text) >= SETTLED_MS ? text : "";
}
