// The keys of a flame chart, for the help of the viewers that have one.
export const FLAME_KEYS = [
  ["← → ↑ ↓", "in a chart: move it"],
  [
    "+ − 0 f",
    "in a chart: zoom in, out, show everything, show the selected box (also the wheel, and a double click)",
  ],
  ["n N", "in a chart: next and previous box; with a search, next and previous match"],
  ["Shift with ← → ↑ ↓", "in a chart: the box beside, above or below the selected one"],
];
