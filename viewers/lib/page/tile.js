// A number that one sees at a glance, with a word for it, and what it leads to. It has a colour only when it is bad.
import { h } from "./dom.js";

/** @param {{number: string, noun: string, note: any, href: string, tone?: string, more?: any}} tile */
export function tile({ number, noun, note, href, tone, more }) {
  const bad = tone && number !== "0" && number !== "–"; // unknown is not bad
  return h("a", { class: `tile${bad ? ` tile-${tone}` : ""}`, href },
    h("span", { class: "tile-head" }, h("b", { class: "tile-number" }, number), " ", h("span", { class: "tile-noun" }, noun)), h("span", { class: "tile-note", title: typeof note === "string" ? note : null }, note), more);
}
