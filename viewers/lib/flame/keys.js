// The keys of a flame chart, for the help of the viewers that have one.
export const FLAME_KEYS = [
  ["← → ↑ ↓", "In a chart: move"],
  [
    "+ − 0 f",
    "In a chart: zoom in, zoom out, show all, zoom to the selected box. Scroll and double click also zoom.",
  ],
  ["n N", "In a chart: next and previous box, or match of a search"],
  ["Shift with ← → ↑ ↓", "In a chart: select the box beside, above or below"],
];
