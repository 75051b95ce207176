// Opens pages in Firefox over WebDriver BiDi. Reads {executable, pages: [Page]} from standard input, prints a line of JSON for each width.
//   Page: {url, visits: [{hash: string, widths: [number]}], drop?: {name, text}}
//   A line: {url, hash, width, text, overflow_px, errors: [string]}
// Playwright's Firefox is a build of its own; this drives the one that people have.
import { createRequire } from "node:module";

const puppeteer = createRequire(new URL("../../viewers/package.json", import.meta.url))("puppeteer-core");
const WAIT_MS = 60_000;
const HEIGHT = 900;

let input = "";
for await (const chunk of process.stdin) input += chunk;
const { executable, pages } = JSON.parse(input);

/** Wait until a view is drawn and several frames change nothing. It runs in the page. */
async function drawn(/** @type {number} */ waitMs) {
  const end = Date.now() + waitMs;
  let before = "";
  for (let still = 0; still < 3;) {
    await new Promise((next) => setTimeout(next, 100));
    const main = document.querySelector("main");
    const now = main?.innerText ?? "";
    still =
      main?.firstElementChild && !document.querySelector(".loading, .working") && now === before
        ? still + 1
        : 0;
    before = now;
    if (Date.now() > end) throw new Error(`no view is drawn: ${before.slice(0, 500)}`);
  }
}

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: executable,
  headless: true,
  defaultViewport: null,
});
try {
  for (const { url, visits, drop } of pages) {
    const page = await browser.newPage();
    /** @type {string[]} */
    let errors = [];
    page.on("console", (message) => {
      if (["error", "warn"].includes(message.type()))
        errors.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) =>
      errors.push(`script error: ${error instanceof Error ? error.stack : error}`),
    );
    page.on("requestfailed", (request) => {
      if (!/ABORT/.test(request.failure()?.errorText ?? "")) errors.push(`failed: ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) errors.push(`${response.status()}: ${response.url()}`);
    });
    await page.goto(url, { waitUntil: "load", timeout: WAIT_MS });
    if (drop) {
      await page.waitForFunction(() => document.querySelector("main h1"), { timeout: WAIT_MS });
      await page.evaluate(({ name, text }) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name));
        window.dispatchEvent(
          new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }),
        );
      }, drop);
      await page.waitForFunction(() => location.search.includes("stored="), { timeout: WAIT_MS });
    }
    for (const { hash, widths } of visits) {
      await page.evaluate((hash) => {
        if (hash) location.hash = hash;
      }, hash);
      for (const width of widths) {
        await page.setViewport({ width, height: HEIGHT });
        await page.evaluate(drawn, WAIT_MS);
        const { text, overflow_px } = await page.evaluate(() => ({
          text: document.querySelector("main")?.innerText ?? "",
          overflow_px: document.documentElement.scrollWidth - innerWidth,
        }));
        console.log(JSON.stringify({ url, hash, width, text, overflow_px, errors }));
        errors = [];
      }
    }
    await page.close();
  }
} finally {
  await browser.close();
}
