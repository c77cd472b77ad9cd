// What is known of one point: as rows, as a card, as a sentence.

import { classColor } from "./colors.js";
import { nameOf } from "./data.js";
import { h, number, signed } from "./dom.js";
import { signedDistance } from "./planes.js";
import { SVG, markerData } from "./shapes.js";

const MOST_COLUMNS = 8;

function distancesOf(state, i) {
  const { data, fit } = state;
  if (fit === null || fit.nPlanes === 0) return [];
  const direction = data.direction.subarray(i * data.dim, (i + 1) * data.dim);
  return fit.plane_names.map((name, k) => ({
    name,
    value: data.unit * signedDistance(fit, k, data.radius[i], direction),
  }));
}

const WHY = {
  calibrated: "Log-odds are compared, not distances: calibration gives each hyperplane a slope and a " +
    "shift of its own, and a class can win with a negative distance.",
  argmax: "Scores are compared, not distances: a score is the scale of its hyperplane times sinh of the " +
    "distance, and a class can win with a negative distance.",
  votes: "Each hyperplane decides between two classes; its distance says nothing about the others.",
  sign: "Calibration may shift the change of sign away from the hyperplane, so that a point close to it " +
    "is predicted against the sign of its distance.",
};

// The scores that decide, in words and numbers; null where the page does not know the rule.
function scoresOf(state, i) {
  const { data, fit } = state;
  if (fit === null || fit.rule === "none" || fit.nPlanes === 0) return null;
  const direction = data.direction.subarray(i * data.dim, (i + 1) * data.dim);
  const scores = fit.plane_names.map((_, k) => {
    const distance = signedDistance(fit, k, data.radius[i], direction);
    const finite = Number.isFinite(fit.offset[k]);
    const score = finite ? Math.exp(fit.logScale[k]) * Math.sinh(distance)
      : Math.sign(distance) * Math.cosh(data.radius[i]);
    return fit.slope === null ? score : fit.slope[k] * Math.asinh(score) + fit.intercept[k];
  });
  const kind = fit.slope === null ? "Score" : "Log-odds";
  const named = (names, values) => names.map((name, k) => ({ name, value: values[k] }));
  const classes = data.classes.map(({ name }) => name);
  if (fit.rule === "argmax") {
    const list = named(classes.slice(0, scores.length), scores);
    const why = fit.slope === null ? WHY.argmax : WHY.calibrated;
    return { title: `${kind}: the largest decides`, list, why };
  }
  if (fit.rule === "votes") {
    const votes = new Array(classes.length).fill(0);
    fit.pairs.forEach(([a, b], k) => {
      votes[scores[k] > 0 ? b : a] += 1;
    });
    return { title: "Votes of the pairs: the most decide", list: named(classes, votes), why: WHY.votes };
  }
  const why = fit.slope === null ? null : WHY.sign;
  return { title: `${kind}: its sign decides`, list: named(fit.plane_names, scores), why };
}

function probabilitiesOf(state, i) {
  const { data, fit } = state;
  if (data.probabilities === null || fit === null || !fit.given) return [];
  const columns = data.probability_names;
  return columns.map((name, k) => ({
    name,
    code: k,
    value: data.probabilities[i * columns.length + k],
  }));
}

// Everything said of a point, for the card and for tests.
export function factsOf(state, i) {
  const { data, fit } = state;
  const columns = data.columns.length;
  const labelled = data.labelled ? data.classes[data.codes[i]].name : null;
  const predicted = fit !== null && fit.predicted !== null ? fit.predicted[i] : null;
  return {
    index: i,
    name: nameOf(data, i),
    label: data.values === null ? labelled : number(data.values[i], 6),
    predicted: predicted === null ? null : data.classes[predicted].name,
    coordinates: data.columns.map((name, k) => ({ name, value: data.X[i * columns + k] })),
    radius: data.radius[i] * data.unit,
    probabilities: probabilitiesOf(state, i),
    distances: distancesOf(state, i),
    scores: scoresOf(state, i),
    extra: data.extra.map(({ name, values, codes, classes }) => (
      { name, value: values === null ? classes[codes[i]].name : number(values[i], 6) })),
  };
}

export function swatch(state, code) {
  const { color, marker } = state.data.classes[code];
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-7 -7 14 14");
  svg.setAttribute("class", "hyx-swatch");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", markerData(marker, 6));
  path.setAttribute("fill", classColor(color, state.theme));
  svg.append(path);
  return svg;
}

function row(name, ...values) {
  return h("div", { class: "hyx-row" }, h("dt", {}, name), h("dd", {}, ...values));
}

function bar(share, color) {
  const fill = h("span", { class: "hyx-fill" });
  fill.style.width = `${(100 * share).toFixed(1)}%`;
  fill.style.background = color;
  return h("span", { class: "hyx-bar", "aria-hidden": "true" }, fill);
}

// The card of a point; `most` limits the long lists.
export function card(state, i, most) {
  const { data, theme } = state;
  const facts = factsOf(state, i);
  const list = h("dl", { class: "hyx-facts" });
  if (facts.label !== null) {
    const mark = data.values === null ? swatch(state, data.codes[i]) : null;
    list.append(row(data.label_name, mark, facts.label));
  }
  if (facts.predicted !== null) {
    const wrong = data.labelled && facts.predicted !== facts.label;
    const note = wrong ? h("span", { class: "hyx-wrong" }, " differs") : null;
    list.append(row("Predicted", swatch(state, state.fit.predicted[i]), facts.predicted, note));
  }
  const shown = facts.coordinates.slice(0, Math.min(most, MOST_COLUMNS));
  const rest = facts.coordinates.length - shown.length;
  const text = shown.map(({ value }) => number(value, 6)).join(", ");
  const names = data.columns.length <= MOST_COLUMNS ? ` (${data.columns.join(", ")})` : "";
  const chart = `${data.coordinates}${names}`;
  list.append(row(`Coordinates, ${chart}`, text + (rest > 0 ? `, … ${rest} more` : "")));
  list.append(row("Distance to the origin", number(facts.radius)));
  for (const { name, value } of facts.extra) list.append(row(name, value));
  const card_ = h("div", { class: "hyx-card" }, h("h3", {}, facts.name), list);
  if (facts.probabilities.length) card_.append(probabilityList(facts, data, theme, most));
  if (facts.scores !== null) card_.append(scoreList(facts.scores, most));
  if (facts.distances.length) card_.append(distanceList(facts, most));
  return card_;
}

function probabilityList({ probabilities }, data, theme, most) {
  const ranked = [...probabilities].sort((a, b) => b.value - a.value).slice(0, most);
  const list = h("dl", { class: "hyx-facts hyx-bars" });
  for (const { name, code, value } of ranked) {
    const color = classColor(data.classes[code]?.color ?? "#888888", theme);
    list.append(row(name, bar(value, color), value.toFixed(3)));
  }
  return section("Probability", list, probabilities.length - ranked.length);
}

function scoreList({ title, list, why }, most) {
  const ranked = [...list].sort((a, b) => b.value - a.value).slice(0, most);
  const rows = h("dl", { class: "hyx-facts" });
  for (const { name, value } of ranked) rows.append(row(name, signed(value)));
  const found = section(title, rows, list.length - ranked.length);
  if (why !== null && most > 5) found.append(h("p", { class: "hyx-rest" }, why));
  return found;
}

function distanceList({ distances }, most) {
  const ranked = distances.length <= most
    ? distances
    : [...distances].sort((a, b) => Math.abs(a.value) - Math.abs(b.value)).slice(0, most);
  const list = h("dl", { class: "hyx-facts" });
  for (const { name, value } of ranked) list.append(row(name, signed(value)));
  return section("Signed distance to hyperplane", list, distances.length - ranked.length);
}

function section(title, list, hidden) {
  const rest = hidden > 0 ? h("p", { class: "hyx-rest" }, `and ${hidden} more`) : null;
  return h("section", {}, ...[h("h4", {}, title), list, rest].filter((part) => part !== null));
}

// One sentence for the screen reader.
export function sentence(state, i) {
  const facts = factsOf(state, i);
  const parts = [facts.name];
  if (facts.label !== null) parts.push(`${state.data.label_name} ${facts.label}`);
  if (facts.predicted !== null) parts.push(`predicted ${facts.predicted}`);
  parts.push(`distance to the origin ${number(facts.radius, 3)}`);
  if (facts.distances.length === 1) {
    parts.push(`signed distance to the hyperplane ${number(facts.distances[0].value, 3)}`);
  }
  return `${parts.join(", ")}.`;
}
