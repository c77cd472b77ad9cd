// The present view as an SVG or PNG file.

import { classColor, mixed } from "./colors.js";
import { nameOf } from "./data.js";
import { Edges, edgeAlpha, piecesOf } from "./edges.js";
import {
  chooseLabels, legendRows, onScreen, paintEdges, paintGround, paintLabels, paintLegend, paintPixels,
  paintPlanes, paintPoints, paintSets, planeStyle, pointColor, ringsOf,
} from "./layers.js";
import { gridCurves, planeCurves, project, rimPath, sheetCurves } from "./scene.js";
import { SVG, markerData } from "./shapes.js";

const MOST_SHAPES = 20000; // points that become shapes of their own; more become a picture
const PNG_SCALE = 2;

function node(parent, tag, attributes, text) {
  const element = parent.ownerDocument.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function pathData(run, close = false) {
  const parts = [];
  for (let i = 0; i < run.length; i += 2) {
    parts.push(`${i === 0 ? "M" : "L"}${run[i].toFixed(2)} ${run[i + 1].toFixed(2)}`);
  }
  return parts.join("") + (close ? "Z" : "");
}

const round = (value) => String(Number(value.toFixed(2)));

export function exportSVG(explorer) {
  explorer.finish?.();
  const lens = explorer.place();
  const { data, theme } = explorer;
  const doc = document.implementation.createDocument(SVG, "svg", null);
  const svg = doc.documentElement;
  const size = { width: round(lens.width), height: round(lens.height) };
  svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  for (const [name, value] of Object.entries(size)) svg.setAttribute(name, value);
  node(svg, "title", {}, data.title);
  node(svg, "rect", { ...size, fill: theme.paper });
  groundNodes(svg, lens, explorer, size);
  edgeNodes(svg, lens, explorer);
  pointNodes(svg, lens, explorer, size);
  planeNodes(svg, lens, explorer);
  ringNodes(svg, explorer);
  labelNodes(svg, lens, explorer);
  legendNodes(svg, lens, explorer);
  return new XMLSerializer().serializeToString(doc);
}

function groundNodes(svg, lens, explorer, size) {
  const { theme, g, show, data } = explorer;
  const flat = lens.half > 0.999;
  const rim = rimPath(lens);
  if (flat) {
    const height = round(Math.max(0, Math.min(lens.height, lens.y)));
    node(svg, "rect", { width: size.width, height, fill: theme.disk });
  } else if (lens.sheet === 0) {
    node(svg, "path", { d: pathData(rim, true), fill: theme.disk });
  }
  const regions = explorer.picture.regions(lens, explorer, 1);
  if (regions !== null) {
    node(svg, "image", { ...size, href: regions.toDataURL("image/png"), class: "regions" });
  }
  const lines = node(svg, "g", { fill: "none", stroke: theme.grid, class: "grid" });
  const curves = show.grid ? gridCurves(g, data.max_radius) : [];
  if (lens.sheet > 0) curves.push(...sheetCurves(lens.sheetHeight));
  for (const curve of curves) {
    for (const run of project(lens, curve)) node(lines, "path", { d: pathData(run) });
  }
  const style = { fill: "none", stroke: theme.rim, "stroke-width": "1.5", class: "rim" };
  node(svg, "path", { d: pathData(rim, !flat), ...style });
}

function edgeNodes(svg, lens, explorer) {
  const { data, show, theme, moved } = explorer;
  if (!data.edges || !show.edges) return;
  const edges = new Edges(data.edges);
  const pieces = piecesOf(data);
  const count = edges.compute(lens, moved, (i) => explorer.isShown(i), pieces);
  const { segments } = edges;
  const group = node(svg, "g", {
    fill: "none", stroke: theme.edge, "stroke-opacity": round(edgeAlpha(data)), class: "edges",
  });
  for (let at = 0; at < count; at += 4 * pieces) {
    const run = [segments[at], segments[at + 1]];
    for (let p = 0; p < pieces; p++) run.push(segments[at + 4 * p + 2], segments[at + 4 * p + 3]);
    if (run.every((value) => Math.abs(value) < 1e5)) node(group, "path", { d: pathData(run) });
  }
}

function pointNodes(svg, lens, explorer, size) {
  const { data, pixels, theme } = explorer;
  if (data.n > MOST_SHAPES) {
    const canvas = document.createElement("canvas");
    canvas.width = lens.width;
    canvas.height = lens.height;
    paintPixels(canvas.getContext("2d"), lens, explorer, explorer.picture.packed, 1);
    node(svg, "image", { ...size, href: canvas.toDataURL("image/png"), class: "points" });
    return;
  }
  const group = node(svg, "g", { "stroke-width": "0.8", class: "points" });
  for (let i = 0; i < data.n; i++) {
    if (!explorer.isShown(i) || !onScreen(lens, pixels.x[i], pixels.y[i])) continue;
    const color = pointColor(explorer, i);
    const point = node(group, "path", {
      d: markerData(data.classes[data.codes[i]].marker, explorer.sizeOf(i) / 2),
      transform: `translate(${round(pixels.x[i])} ${round(pixels.y[i])})`,
      fill: color,
      stroke: mixed(color, theme.dark ? "#000000" : "#1a1a1a", 0.45),
    });
    if (data.names !== null) node(point, "title", {}, nameOf(data, i));
  }
}

function planeNodes(svg, lens, explorer) {
  if (explorer.fit === null) return;
  const group = node(svg, "g", { fill: "none", class: "hyperplanes" });
  for (const line of planeCurves(lens, explorer.traces, explorer.g, explorer.planeOptions)) {
    const style = planeStyle(line, explorer);
    node(group, "path", {
      d: pathData(line.run),
      stroke: style.color,
      "stroke-width": style.width,
      "stroke-dasharray": style.dash.join(" "),
      "stroke-opacity": style.alpha,
      class: line.kind,
    });
  }
}

function ringNodes(svg, explorer) {
  const { pixels } = explorer;
  const group = node(svg, "g", { fill: "none", class: "rings" });
  for (const { i, width, color, radius } of ringsOf(explorer)) {
    const place = { cx: round(pixels.x[i]), cy: round(pixels.y[i]), r: round(radius) };
    node(group, "circle", { ...place, stroke: color, "stroke-width": width });
  }
}

function labelNodes(svg, lens, explorer) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = "12px system-ui, sans-serif";
  const labels = chooseLabels(lens, explorer, (text) => context.measureText(text).width);
  const group = node(svg, "g", {
    "font-family": "system-ui, sans-serif",
    "font-size": "12",
    "paint-order": "stroke",
    stroke: explorer.theme.disk,
    "stroke-width": "3",
    "stroke-linejoin": "round",
    fill: explorer.theme.ink,
    class: "names",
  });
  for (const { text, x, y } of labels) {
    node(group, "text", { x: round(x), y: round(y), "dominant-baseline": "central" }, text);
  }
}

function legendNodes(svg, lens, explorer) {
  const { data, theme } = explorer;
  const style = { "font-family": "system-ui, sans-serif", "font-size": "12", fill: theme.ink };
  const group = node(svg, "g", { ...style, class: "legend" });
  for (const { code, text, x, y } of legendRows(lens, explorer)) {
    if (code !== null) {
      node(group, "path", {
        d: markerData(data.classes[code].marker, 5),
        transform: `translate(${x} ${round(y)})`,
        fill: classColor(data.classes[code].color, theme),
      });
    }
    node(group, "text", { x: x + 12, y: round(y), "dominant-baseline": "central" }, text);
  }
}

// Everything on one canvas, twice as fine as the screen.
export function exportCanvas(explorer) {
  explorer.finish?.();
  const lens = explorer.place();
  const { data, theme, picture } = explorer;
  const canvas = document.createElement("canvas");
  canvas.width = lens.width * PNG_SCALE;
  canvas.height = lens.height * PNG_SCALE;
  const context = canvas.getContext("2d");
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(PNG_SCALE, PNG_SCALE);
  paintGround(context, lens, explorer, picture.regions(lens, explorer, 0.5));
  if (data.edges && explorer.show.edges) {
    const edges = new Edges(data.edges);
    const count = edges.compute(lens, explorer.moved, (i) => explorer.isShown(i), piecesOf(data));
    context.globalAlpha = edgeAlpha(data);
    paintEdges(context, edges.segments, count, theme.edge);
    context.globalAlpha = 1;
  }
  if (data.n > MOST_SHAPES) {
    const crowd = document.createElement("canvas");
    crowd.width = canvas.width;
    crowd.height = canvas.height;
    paintPixels(crowd.getContext("2d"), lens, explorer, picture.packed, PNG_SCALE);
    context.drawImage(crowd, 0, 0, lens.width, lens.height);
  } else paintPoints(context, lens, explorer);
  paintPlanes(context, lens, explorer);
  paintSets(context, lens, explorer);
  paintLabels(context, lens, explorer);
  paintLegend(context, lens, explorer);
  return canvas;
}

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A title as the beginning of a file name.
export function fileName(title, extension) {
  const word = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
  return `${word || "explorer"}.${extension}`;
}
