// Parts missing from a redacted bundle: pages show this text instead of "none".

export const LEFT_OUT = "Not included in this redacted bundle. There may have been some.";

/** @param {import("../bundle/bundle.js").Bundle} bundle @param {string} part as 'redact --drop' calls it */
export const isLeftOut = ({ manifest }, part) => manifest.redacted?.dropped.includes(part) ?? false;
