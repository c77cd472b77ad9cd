// The controls beside the picture.

import { countWhere, isWrong } from "./analysis.js";
import { classColor, rampColor } from "./colors.js";
import { card, swatch } from "./details.js";
import { h, number, uniqueId } from "./dom.js";

const LONG = 20; // rows of a list in the card

function group(title, ...content) {
  const id = uniqueId("group");
  return h("section", { class: "hyx-group", "aria-labelledby": id }, h("h2", { id }, title), ...content);
}

export function pointGroup(explorer) {
  const place = h("div", { class: "hyx-chosen" });
  const section = group("Point", place);
  const hint = matchMedia("(any-hover: none)").matches
    ? "Tap a point to centre it and to read it."
    : "Click a point to centre it; hover to read it. Keys n and p step through the points.";
  let written = null;
  const update = () => {
    const { selected, fitIndex, theme } = explorer;
    const now = `${selected} ${fitIndex} ${theme.dark}`;
    if (now === written) return;
    written = now;
    const content = selected < 0 ? h("p", { class: "hyx-hint" }, hint) : card(explorer, selected, LONG);
    place.replaceChildren(content);
  };
  update();
  return { section, update };
}

function countClasses({ codes, classes }) {
  const counts = new Array(classes.length).fill(0);
  for (const code of codes) counts[code] += 1;
  return counts;
}

export function classGroup(explorer) {
  const { data } = explorer;
  const nothing = () => {};
  if (data.values !== null || !data.labelled) return { section: null, update: nothing };
  const counts = countClasses(data);
  const rows = data.classes.map(({ name }, code) => {
    const box = h("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => explorer.setClass(code, box.checked));
    const mark = h("span", { class: "hyx-mark" }, swatch(explorer, code));
    const count = h("span", { class: "hyx-count" }, counts[code].toLocaleString("en"));
    return { box, mark, label: h("label", { class: "hyx-check" }, box, mark, name, count) };
  });
  const all = h("button", { type: "button", class: "hyx-small" }, "All");
  const none = h("button", { type: "button", class: "hyx-small" }, "None");
  all.addEventListener("click", () => rows.forEach((_, code) => explorer.setClass(code, true)));
  none.addEventListener("click", () => rows.forEach((_, code) => explorer.setClass(code, false)));
  const list = h("div", { class: "hyx-checks" }, ...rows.map(({ label }) => label));
  const section = group(data.label_name, list, h("div", { class: "hyx-buttons" }, all, none));
  const update = (what) => {
    rows.forEach(({ box }, code) => {
      box.checked = explorer.shownClass[code] === 1;
    });
    if (what === "theme") rows.forEach(({ mark }, code) => mark.replaceChildren(swatch(explorer, code)));
  };
  return { section, update };
}

// What the points are coloured by, with its scale or the names of its classes.
export function colorGroup(explorer) {
  const { colorings, data } = explorer;
  if (colorings.length < 2 && data.values === null) return { section: null, update: () => {} };
  const key = h("div", {});
  const update = () => key.replaceChildren(...colorKey(explorer));
  update();
  if (colorings.length < 2) return { section: group(data.label_name, key), update };
  const select = h("select", {});
  colorings.forEach(({ name }, k) => select.append(h("option", { value: k }, name)));
  select.addEventListener("change", () => explorer.setColoring(Number(select.value)));
  const field = h("label", { class: "hyx-field" }, "Colour by", select);
  return { section: group("Colours", field, key), update };
}

function colorKey({ coloring, theme }) {
  if (coloring.values) {
    const strip = h("div", { class: "hyx-ramp", "aria-hidden": "true" });
    const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => rampColor(share));
    strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    return [strip, h("div", { class: "hyx-ends" },
      h("span", {}, number(coloring.low)), h("span", {}, number(coloring.high)))];
  }
  return (coloring.classes ?? []).map(({ name, color }) => {
    const dot = h("span", { class: "hyx-dot", "aria-hidden": "true" });
    dot.style.background = classColor(color, theme);
    return h("div", { class: "hyx-key" }, dot, name);
  });
}

// Points chosen with the lasso.
export function selectionGroup(explorer, onCSV) {
  const said = h("p", { class: "hyx-said" });
  const save = h("button", { type: "button", class: "hyx-button" }, "Save CSV");
  const clear = h("button", { type: "button", class: "hyx-button" }, "Clear");
  const buttons = h("div", { class: "hyx-buttons" }, save, clear);
  save.addEventListener("click", onCSV);
  clear.addEventListener("click", () => explorer.pick([]));
  const update = () => {
    const { picked, lasso } = explorer;
    buttons.hidden = picked.length === 0;
    said.textContent = lasso !== null ? "Draw around points." : picked.length > 0
      ? `${picked.length.toLocaleString("en")} points selected`
      : "Press the lasso button ◌, or l, and draw around points.";
  };
  update();
  return { section: group("Selection", said, buttons), update };
}

export function fitGroup(explorer) {
  const { data } = explorer;
  if (!data.fits.length) return { section: null, update: () => {} };
  const parts = [];
  const said = h("p", { class: "hyx-said" });
  let slider = null;
  if (data.fits.length > 1) {
    slider = h("input", {
      type: "range", min: 0, max: data.fits.length - 1, step: 1, value: explorer.fitIndex,
      "aria-label": "Weight C of the losses",
    });
    slider.addEventListener("input", () => explorer.setFit(Number(slider.value)));
    parts.push(slider);
  }
  parts.push(said);
  const select = planeSelect(explorer);
  if (select !== null) parts.push(select);
  const wrong = counted("Only misclassified points", (on) => explorer.setOnlyWrong(on));
  const held = counted("Ring the support of the fit", (on) => explorer.setShow("support", on));
  parts.push(wrong.element, held.element);
  const update = () => {
    const fit = data.fits[explorer.fitIndex];
    const state = { data, fit };
    wrong.show(data.labelled ? countWhere(data.n, (i) => isWrong(state, i)) : null);
    held.show(fit.support === null ? null : countWhere(data.n, (i) => fit.support[i] === 1));
    said.replaceChildren(h("strong", {}, fit.name));
    if (fit.accuracy !== null) said.append(` · ${(100 * fit.accuracy).toFixed(1)} % of these points right`);
    if (slider === null) return;
    slider.value = explorer.fitIndex;
    slider.setAttribute("aria-valuetext", fit.name);
  };
  update();
  return { section: group(slider === null ? "Classifier" : "Classifier over C", ...parts), update };
}

// A box to tick with the number of points it is about; null hides it.
function counted(words, act) {
  const box = h("input", { type: "checkbox" });
  box.addEventListener("change", () => act(box.checked));
  const number_ = h("span", { class: "hyx-count" });
  const element = h("label", { class: "hyx-check" }, box, words, number_);
  const show = (count) => {
    element.hidden = count === null;
    number_.textContent = count?.toLocaleString("en") ?? "";
  };
  return { element, show };
}

function planeSelect(explorer) {
  const { data } = explorer;
  const names = data.fits[explorer.fitIndex].plane_names;
  if (names.length < 2) return null;
  const select = h("select", {});
  select.append(h("option", { value: "" }, "All hyperplanes alike"));
  names.forEach((name, k) => select.append(h("option", { value: k }, name)));
  select.addEventListener("change", () => {
    explorer.setPlane(select.value === "" ? null : Number(select.value));
  });
  return h("label", { class: "hyx-field" }, "Emphasise", select);
}

export function showGroup(explorer) {
  const { data } = explorer;
  const planes = data.fits.some((fit) => fit.nPlanes > 0);
  const choices = [
    ["regions", "Decision regions", data.fits.some((fit) => fit.texture || fit.rule !== "none")],
    ["planes", "Hyperplanes", planes],
    ["margins", "Margins (score ±1)", planes],
    ["edges", "Edges", data.edges !== null],
    ["names", "Names", data.names !== null],
    ["grid", `Grid about the ${data.centre}`, true],
  ].filter(([, , there]) => there);
  const boxes = choices.map(([name, words]) => {
    const box = h("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => explorer.setShow(name, box.checked));
    return h("label", { class: "hyx-check" }, box, words);
  });
  return group("Show", h("div", { class: "hyx-checks" }, ...boxes));
}

const KEYS = [
  ["Drag, arrows", "move: the point under the pointer stays under it"],
  ["Wheel, pinch, + −", "zoom"],
  ["Shift-drag, q e", "turn; in the hyperboloid also tilt"],
  ["1 2 3 4", "disk, Klein, half-plane, hyperboloid"],
  ["n p, Enter", "next or previous point, centre it"],
  ["l, Escape", "draw a lasso around points, or give it up"],
  ["/", "search"],
  ["0", "back to the start"],
];

export function helpGroup(id) {
  const rows = KEYS.flatMap(([keys, words]) => [h("dt", {}, keys), h("dd", {}, words)]);
  return h("details", { class: "hyx-group hyx-help" }, h("summary", {}, "Keys and gestures"),
    h("dl", { class: "hyx-keys", id }, ...rows));
}

export function exportGroup(onSVG, onPNG) {
  const svg = h("button", { type: "button", class: "hyx-button" }, "Save SVG");
  const png = h("button", { type: "button", class: "hyx-button" }, "Save PNG");
  svg.addEventListener("click", onSVG);
  png.addEventListener("click", onPNG);
  return group("This view", h("div", { class: "hyx-buttons" }, svg, png));
}
