// The controls beside the picture.

import { card, swatch } from "./details.js";
import { h, number, uniqueId } from "./dom.js";
import { rampColor } from "./colors.js";

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
  if (data.values !== null) return { section: colorBar(data), update: nothing };
  if (!data.labelled) return { section: null, update: nothing };
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

function colorBar(data) {
  const strip = h("div", { class: "hyx-ramp", "aria-hidden": "true" });
  const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => rampColor(share));
  strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  const ends = h("div", { class: "hyx-ends" },
    h("span", {}, number(data.low)), h("span", {}, number(data.high)));
  return group(data.label_name, strip, ends);
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
  const update = () => {
    const fit = data.fits[explorer.fitIndex];
    said.replaceChildren(h("strong", {}, fit.name));
    if (fit.accuracy !== null) said.append(` · ${(100 * fit.accuracy).toFixed(1)} % of these points right`);
    if (slider === null) return;
    slider.value = explorer.fitIndex;
    slider.setAttribute("aria-valuetext", fit.name);
  };
  update();
  return { section: group(slider === null ? "Classifier" : "Classifier over C", ...parts), update };
}

function planeSelect(explorer) {
  const { data } = explorer;
  const names = data.fits[explorer.fitIndex].plane_names;
  if (names.length < 2) return null;
  const select = h("select", {});
  if (data.planar) select.append(h("option", { value: "" }, "All hyperplanes alike"));
  names.forEach((name, k) => select.append(h("option", { value: k }, name)));
  select.addEventListener("change", () => {
    explorer.setPlane(select.value === "" ? null : Number(select.value));
  });
  const words = data.planar ? "Emphasise" : "Plane through the normal of";
  return h("label", { class: "hyx-field" }, words, select);
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
    ["grid", "Grid about the origin", true],
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
