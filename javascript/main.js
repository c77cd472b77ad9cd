// Put an explorer into an element: the picture, its controls, and a small interface for scripts.

import { csvOf } from "./analysis.js";
import { card, sentence } from "./details.js";
import { h, number, uniqueId } from "./dom.js";
import { Explorer } from "./explorer.js";
import { download, exportCanvas, exportSVG, fileName } from "./export.js";
import { connectInput, nextShown, turnBy } from "./input.js";
import { makeInterface } from "./interface.js";
import { FARTHEST } from "./mobius.js";
import { MODELS, MODEL_NAMES } from "./models.js";
import { notesFor } from "./notes.js";
import {
  classGroup, colorGroup, exportGroup, fitGroup, helpGroup, pointGroup, selectionGroup, showGroup,
} from "./panel.js";
import { searchBox } from "./search.js";

const TIP_ROWS = 5;
const THEMES = ["auto", "light", "dark"];

export function createExplorer(root, payload, options = {}) {
  const helpId = uniqueId("help");
  const stage = h("div", {
    class: "hyx-stage",
    tabindex: "0",
    role: "application",
    "aria-label": `${payload.title}: ${payload.n} points in the hyperbolic plane`,
    "aria-describedby": helpId,
  });
  const tip = h("div", { class: "hyx-tip", "aria-hidden": "true" });
  const live = h("div", { class: "hyx-live", role: "status", "aria-live": "polite" });
  const note = h("div", { class: "hyx-note" });
  tip.hidden = true;
  const toast = h("div", { class: "hyx-toast", "aria-hidden": "true" });
  toast.hidden = true;
  const left = h("div", { class: "hyx-left" }, stage, tip, toast, note);
  const panel = h("aside", { class: "hyx-panel", "aria-label": "Controls" });
  const top = h("header", { class: "hyx-top" }, h("h1", {}, payload.title));
  const app = h("div", { class: "hyx-app" }, top, left, panel, live);
  root.classList.add("hyx");
  root.replaceChildren(app);

  const explorer = new Explorer(stage, payload, options);
  const say = (text) => {
    live.textContent = text;
  };
  const actions = makeActions(explorer, say, tip, toast);
  const search = searchBox(explorer, say, (i) => {
    explorer.select(i);
    actions.centre(i);
    say(sentence(explorer, i));
  });
  actions.search = () => search.input.focus();
  connectInput(explorer, actions);

  const saveSVG = () => {
    const blob = new Blob([exportSVG(explorer)], { type: "image/svg+xml" });
    download(blob, fileName(explorer.data.title, "svg"));
  };
  const savePNG = () => exportCanvas(explorer).toBlob((blob) => {
    download(blob, fileName(explorer.data.title, "png"));
  }, "image/png");
  const point = pointGroup(explorer);
  const classes = classGroup(explorer);
  const fits = fitGroup(explorer);
  const colors = colorGroup(explorer);
  const selection = selectionGroup(explorer, () => {
    const blob = new Blob([csvOf(explorer, explorer.picked)], { type: "text/csv" });
    download(blob, fileName(explorer.data.title, "csv"));
  });
  const sections = [
    search.element, point.section, classes.section, colors.section, fits.section, selection.section,
    showGroup(explorer), exportGroup(saveSVG, savePNG), helpGroup(helpId), footer(explorer),
  ];
  panel.append(...sections.filter((section) => section !== null));
  const models = modelSwitch(explorer);
  top.append(models.element, themeButton(root, () => {
    explorer.restyle();
    classes.update("theme");
    colors.update();
    point.update();
  }));
  const tools = toolButtons(explorer);
  left.append(tools.element);

  const showNotes = () => {
    const notes = notesFor(explorer);
    note.hidden = notes.length === 0;
    note.replaceChildren(...notes.map((text) => h("p", {}, text)));
  };
  showNotes();
  explorer.on((what) => {
    if (what === "model") {
      models.update();
      say(MODEL_NAMES[explorer.model]);
    }
    if (what === "classes") classes.update(what);
    if (what === "color") colors.update();
    if (what === "lasso" || what === "pick") {
      tools.update();
      selection.update();
      if (what === "pick") say(`${explorer.picked.length} points selected`);
    }
    if (what === "fit" || what === "plane" || what === "end") {
      fits.update();
      showNotes();
    }
    if (what === "select" || what === "fit" || what === "end") point.update();
  });
  return connected(root, explorer, classes, makeInterface(explorer));
}

// Follow the size of the stage and the theme of the system.
function connected(root, explorer, classes, scripts) {
  const observer = new ResizeObserver(() => explorer.resized());
  observer.observe(explorer.stage);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const retheme = () => {
    explorer.restyle();
    classes.update("theme");
  };
  scheme.addEventListener("change", retheme);
  const destroy = () => {
    observer.disconnect();
    scheme.removeEventListener("change", retheme);
    cancelAnimationFrame(explorer.pending);
    clearTimeout(explorer.later);
    root.replaceChildren();
  };
  return { ...scripts, destroy };
}

// Where a card does not cover its point: to its right, to its left, else below or above it.
function besidePoint([left, top], { offsetWidth, offsetHeight }, stage) {
  const box = stage.getBoundingClientRect();
  const inside = (place, length, whole) => Math.max(0, Math.min(place, whole - length - 4));
  const y = inside(top + 12, offsetHeight, box.height);
  if (left + 16 + offsetWidth <= box.width) return [left + 16, y];
  if (left - 16 - offsetWidth >= 0) return [left - 16 - offsetWidth, y];
  const x = inside(left - offsetWidth / 2, offsetWidth, box.width);
  const above = box.top + top;
  const below = window.innerHeight - above;
  return [x, below >= Math.min(offsetHeight + 16, above) ? top + 16 : top - 16 - offsetHeight];
}

function makeActions(explorer, say, tip, toast) {
  let hiding = null;
  const tooFar = () => {
    const far = number(FARTHEST * explorer.data.unit, 3);
    toast.textContent = `The view ends here, ${far} from the origin: beyond, double precision is too coarse.`;
    toast.hidden = false;
    say(toast.textContent);
    clearTimeout(hiding);
    hiding = setTimeout(() => {
      toast.hidden = true;
    }, 4000);
  };
  const centre = (i) => {
    if (!explorer.centre(i)) tooFar();
  };
  const showTip = (i, at) => {
    tip.hidden = i < 0;
    if (i < 0) return;
    tip.replaceChildren(card(explorer, i, TIP_ROWS));
    const [x, y] = besidePoint(at, tip, explorer.stage);
    tip.style.transform = `translate(${x}px, ${y}px)`;
  };
  return {
    tooFar,
    centre,
    lasso: () => explorer.pickInside(),
    hover(i, at) {
      const other = i !== explorer.hovered;
      explorer.hover(i);
      if (other || i < 0) showTip(i, at);
    },
    click(i) {
      showTip(-1);
      explorer.select(i);
      if (i < 0) return;
      centre(i);
      say(sentence(explorer, i));
    },
    step(direction) {
      const i = nextShown(explorer, explorer.selected, direction);
      explorer.select(i);
      if (i >= 0) say(sentence(explorer, i));
    },
  };
}

function modelSwitch(explorer) {
  const name = uniqueId("model");
  const radios = MODELS.map((model) => {
    const radio = h("input", { type: "radio", name, value: model, checked: model === explorer.model });
    radio.addEventListener("change", () => explorer.setModel(model));
    return radio;
  });
  const labels = radios.map((radio) => h("label", {}, radio, h("span", {}, MODEL_NAMES[radio.value])));
  const element = h("div", { class: "hyx-models", role: "radiogroup", "aria-label": "Model" }, ...labels);
  const update = () => radios.forEach((radio) => {
    radio.checked = radio.value === explorer.model;
  });
  return { element, update };
}

function themeButton(root, changed) {
  const button = h("button", { type: "button", class: "hyx-theme" });
  const show = (theme) => {
    root.dataset.theme = theme;
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme];
    button.setAttribute("aria-label", `Colours: ${theme}`);
    button.title = `Colours: ${theme}`;
  };
  show(root.dataset.theme ?? "auto");
  button.addEventListener("click", () => {
    show(THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length]);
    changed();
  });
  return button;
}

function toolButtons(explorer) {
  const { picture } = explorer;
  const middle = () => [picture.width / 2, picture.height / 2];
  const tools = [
    ["+", "Zoom in", () => explorer.zoomAt(...middle(), 1.3)],
    ["−", "Zoom out", () => explorer.zoomAt(...middle(), 1 / 1.3)],
    ["↺", "Turn left", () => turnBy(explorer, Math.PI / 12)],
    ["↻", "Turn right", () => turnBy(explorer, -Math.PI / 12)],
    ["⌂", "Back to the start", () => explorer.reset()],
    ["◌", "Lasso: draw around points to select them", () => explorer.setLasso(explorer.lasso === null)],
  ];
  const buttons = tools.map(([sign, words, act]) => {
    const button = h("button", { type: "button", "aria-label": words, title: words }, sign);
    button.addEventListener("click", act);
    return button;
  });
  const update = () => buttons.at(-1).setAttribute("aria-pressed", String(explorer.lasso !== null));
  update();
  const element = h("div", { class: "hyx-tools", role: "toolbar", "aria-label": "View" }, ...buttons);
  return { element, update };
}

function footer({ data, picture }) {
  const edges = data.edges === null ? "" : `, ${(data.edges.length / 2).toLocaleString("en")} edges`;
  const text = `${data.n.toLocaleString("en")} points${edges} · curvature ${data.curvature} · ` +
    `${picture.renderer} · hyplane ${data.version}`;
  return h("p", { class: "hyx-footer" }, text);
}
