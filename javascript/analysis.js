// To study errors: what points are coloured by, which are chosen with the lasso, and these as CSV.

import { nameOf } from "./data.js";

// All that the points can be coloured by: numbers have values, classes have codes, and predictions
// are those of the present fit.
export function coloringsOf(data) {
  const own = { name: data.label_name, values: data.values, low: data.low, high: data.high };
  const list = [own];
  if (data.fits.length > 0) list.push({ name: "Predicted class", predicted: true });
  if (data.probabilities !== null) {
    const names = data.probability_names;
    const column = (pick) => Float64Array.from({ length: data.n }, (_, i) =>
      pick(data.probabilities.subarray(i * names.length, (i + 1) * names.length)));
    const scale = { low: 0, high: 1 };
    list.push({ name: "Probability of the prediction", values: column((row) => Math.max(...row)), ...scale });
    names.slice(0, 20).forEach((name, k) => {
      list.push({ name: `Probability of ${name}`, values: column((row) => row[k]), ...scale });
    });
  }
  return [...list, ...data.extra];
}

export const isWrong = ({ data, fit }, i) =>
  data.labelled && fit !== null && fit.predicted[i] !== data.codes[i];

export function countWhere(n, test) {
  let count = 0;
  for (let i = 0; i < n; i++) if (test(i)) count += 1;
  return count;
}

// The shown points inside a polygon of pixels x1, y1, x2, y2, …
export function pointsInside(state, polygon) {
  const { data, pixels } = state;
  const inside = [];
  for (let i = 0; i < data.n; i++) {
    if (state.isShown(i) && encloses(polygon, pixels.x[i], pixels.y[i])) inside.push(i);
  }
  return inside;
}

// Whether a ray from the point crosses the polygon an odd number of times.
function encloses(polygon, x, y) {
  let odd = false;
  let [x1, y1] = polygon.slice(-2);
  for (let k = 0; k < polygon.length; k += 2) {
    const [x2, y2] = [polygon[k], polygon[k + 1]];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) odd = !odd;
    [x1, y1] = [x2, y2];
  }
  return odd;
}

const cell = (value) => {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// Points as a table with a line of names: row, name, class, prediction, coordinates and the rest.
export function csvOf(state, rows) {
  const { data, fit } = state;
  const columns = [["row", (i) => i]];
  if (data.names !== null) columns.push(["name", (i) => nameOf(data, i)]);
  if (data.values !== null) columns.push([data.label_name, (i) => data.values[i]]);
  else if (data.labelled) columns.push([data.label_name, (i) => data.classes[data.codes[i]].name]);
  if (fit !== null) columns.push(["predicted", (i) => data.classes[fit.predicted[i]].name]);
  const width = data.columns.length;
  data.columns.forEach((name, k) => columns.push([name, (i) => data.X[i * width + k]]));
  for (const { name, values, codes, classes } of data.extra) {
    columns.push([name, (i) => (values === null ? classes[codes[i]].name : values[i])]);
  }
  if (data.probabilities !== null && fit?.given) {
    const names = data.probability_names;
    names.forEach((name, k) => {
      columns.push([`probability of ${name}`, (i) => data.probabilities[i * names.length + k]]);
    });
  }
  const lines = [columns.map(([name]) => cell(name))];
  for (const i of rows) lines.push(columns.map(([, value]) => cell(value(i))));
  return `${lines.map((line) => line.join(",")).join("\n")}\n`;
}
