// What lies below and above the points, on any 2-D canvas context.

import { classColor, lineColor, mixed, rampColor } from "./colors.js";
import { nameOf } from "./data.js";
import { gridCurves, planeCurves, project, rimPath, sheetCurves } from "./scene.js";
import { markerPath } from "./shapes.js";

function tracePath(context, run, close = false) {
  context.beginPath();
  for (let i = 0; i < run.length; i += 2) {
    if (i === 0) context.moveTo(run[0], run[1]);
    else context.lineTo(run[i], run[i + 1]);
  }
  if (close) context.closePath();
}

function strokeRuns(context, runs) {
  for (const run of runs) {
    tracePath(context, run);
    context.stroke();
  }
}

// Disk, regions, grid and rim. `regions` is a canvas that covers the whole picture, or null.
export function paintGround(context, lens, state, regions) {
  const { theme, g, show, data } = state;
  const rim = rimPath(lens);
  const flat = lens.half > 0.999;
  context.fillStyle = theme.disk;
  if (flat) {
    context.fillRect(0, 0, lens.width, Math.max(0, Math.min(lens.height, lens.y)));
  } else if (lens.sheet === 0) {
    tracePath(context, rim, true);
    context.fill();
  }
  if (regions !== null) {
    context.imageSmoothingEnabled = true;
    context.drawImage(regions, 0, 0, lens.width, lens.height);
  }
  context.lineWidth = 1;
  context.strokeStyle = theme.grid;
  if (show.grid) {
    for (const curve of gridCurves(g, data.max_radius)) strokeRuns(context, project(lens, curve));
  }
  if (lens.sheet > 0) {
    context.globalAlpha = lens.sheet * 0.9;
    for (const curve of sheetCurves(lens.sheetHeight)) strokeRuns(context, project(lens, curve));
    context.globalAlpha = 1;
  }
  context.lineWidth = 1.5;
  context.strokeStyle = theme.rim;
  if (rim.length) {
    tracePath(context, rim, !flat);
    context.stroke();
  }
}

// How each line of the hyperplanes looks.
export function planeStyle(line, state) {
  const { fit, theme, data } = state;
  const owner = fit.owners[line.plane];
  const own = owner < 0 ? theme.ink : lineColor(classColor(data.classes[owner].color, theme), theme);
  const strong = line.kind === "plane";
  return {
    color: own,
    width: strong ? 2.25 : 1.25,
    dash: strong ? [] : [6, 4],
    alpha: (line.own ? 1 : 0.3) * (strong ? 1 : 0.8),
  };
}

export function paintPlanes(context, lens, state) {
  if (state.fit === null) return;
  for (const line of planeCurves(lens, state.traces, state.g, state.planeOptions)) {
    const style = planeStyle(line, state);
    context.globalAlpha = style.alpha;
    context.strokeStyle = style.color;
    context.lineWidth = style.width;
    context.setLineDash(style.dash);
    tracePath(context, line.run);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

export function pointColor(state, i) {
  const { data, theme, coloring, fit } = state;
  if (coloring.values) {
    return rampColor((coloring.values[i] - coloring.low) / (coloring.high - coloring.low || 1));
  }
  const codes = coloring.predicted ? fit.predicted : coloring.codes ?? data.codes;
  return classColor((coloring.classes ?? data.classes)[codes[i]].color, theme);
}

// Points with their shapes; slow beyond some ten thousand, see paintPixels.
export function paintPoints(context, lens, state) {
  const { data, pixels, theme } = state;
  context.lineWidth = 0.8;
  for (let i = 0; i < data.n; i++) {
    const size = state.sizeOf(i);
    const x = pixels.x[i];
    const y = pixels.y[i];
    if (!state.isShown(i) || !onScreen(lens, x, y)) continue;
    const color = pointColor(state, i);
    context.beginPath();
    markerPath(context, data.classes[data.codes[i]].marker, x, y, size / 2);
    context.fillStyle = color;
    context.fill();
    if (size < 3.5) continue;
    context.strokeStyle = mixed(color, theme.dark ? "#000000" : "#1a1a1a", 0.45);
    context.stroke();
  }
}

// Very many points: squares written straight into the pixels of a canvas. Software draws a hundred
// thousand of them this way in a few milliseconds, and their shapes in a few hundred.
export function paintPixels(context, lens, state, packed, ratio, image = null) {
  const { data, pixels } = state;
  const width = Math.round(lens.width * ratio);
  const height = Math.round(lens.height * ratio);
  const fits = image !== null && image.width === width && image.height === height;
  const target = fits ? image : new ImageData(width, height);
  const colors = new Uint32Array(target.data.buffer);
  if (fits) colors.fill(0);
  const size = Math.max(1, Math.round(state.pointSize * ratio * 0.8));
  const shift = size / 2 - 0.5;
  for (let i = 0; i < data.n; i++) {
    if (!state.isShown(i)) continue;
    const left = Math.floor(pixels.x[i] * ratio - shift);
    const top = Math.floor(pixels.y[i] * ratio - shift);
    if (!(left >= 0 && top >= 0 && left + size <= width && top + size <= height)) continue;
    const color = packed[i];
    let at = top * width + left;
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) colors[at + column] = color;
      at += width;
    }
  }
  context.putImageData(target, 0, 0);
  return target;
}

export const onScreen = (lens, x, y) => x > -20 && y > -20 && x < lens.width + 20 && y < lens.height + 20;

export function paintEdges(context, segments, count, color) {
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  for (let i = 0; i < count; i += 4) {
    context.moveTo(segments[i], segments[i + 1]);
    context.lineTo(segments[i + 2], segments[i + 3]);
  }
  context.stroke();
}

const LABEL_ROOM = 11000; // square pixels for each name
const MOST_LABELS = 60;

// Names that fit, points near the centre of the view first.
export function chooseLabels(lens, state, measure) {
  const { data, moved, pixels } = state;
  if (data.names === null || !state.show.names) return [];
  const candidates = [];
  // Close to the rim of a disk there is no room for the names of many.
  const disk = lens.model === "ball" || lens.model === "klein";
  const least = disk && data.n > 60 ? 0.12 : 0;
  const most = Math.min(MOST_LABELS, (lens.width * lens.height) / LABEL_ROOM);
  for (let i = 0; i < data.n; i++) {
    if (moved.q[i] > least && state.isShown(i) && onScreen(lens, pixels.x[i], pixels.y[i])) candidates.push(i);
  }
  candidates.sort((a, b) => moved.q[b] - moved.q[a]);
  const taken = [];
  const labels = [];
  for (const i of candidates.slice(0, 400)) {
    const text = shortened(nameOf(data, i));
    const x = pixels.x[i] + state.sizeOf(i) / 2 + 3;
    const y = pixels.y[i];
    const box = [x - 2, y - 8, x + measure(text) + 2, y + 8];
    if (taken.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3])) continue;
    taken.push(box);
    labels.push({ i, text, x, y });
    if (labels.length >= most) break;
  }
  return labels;
}

const shortened = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text);

export function paintLabels(context, lens, state) {
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const labels = chooseLabels(lens, state, (text) => context.measureText(text).width);
  for (const { text, x, y } of labels) {
    context.globalAlpha = 0.85;
    context.strokeStyle = state.theme.disk;
    context.lineWidth = 3;
    context.strokeText(text, x, y);
    context.globalAlpha = 1;
    context.fillStyle = state.theme.ink;
    context.fillText(text, x, y);
  }
}

const MOST_RINGS = 5000;

// Points with a ring: the support of the fit, and those chosen with the lasso.
export function ringsOf(state) {
  const { fit, show, picked, theme } = state;
  const held = [];
  if (show.support && fit?.support) {
    fit.support.forEach((holds, i) => holds && held.push(i));
  }
  // Many rings are thinner and tighter.
  const many = (rows) => (rows.length > 200 ? 0.55 : 1);
  return [[held, 1.2, theme.ink, 2], [picked, 1.8, theme.accent, 3.5]].flatMap(
    ([rows, width, color, gap]) => rows.filter((i) => state.isShown(i)).slice(0, MOST_RINGS)
      .map((i) => (
        { i, width: width * many(rows), color, radius: state.sizeOf(i) / 2 + gap * many(rows) })));
}

export function paintSets(context, lens, state) {
  const { pixels } = state;
  for (const { i, width, color, radius } of ringsOf(state)) {
    if (!onScreen(lens, pixels.x[i], pixels.y[i])) continue;
    context.beginPath();
    context.arc(pixels.x[i], pixels.y[i], radius, 0, 2 * Math.PI);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }
}

export function paintLasso(context, { lasso, theme }) {
  if (lasso === null || lasso.length < 4) return;
  tracePath(context, lasso, true);
  context.globalAlpha = 0.12;
  context.fillStyle = theme.accent;
  context.fill();
  context.globalAlpha = 1;
  context.setLineDash([5, 4]);
  context.lineWidth = 1.5;
  context.strokeStyle = theme.accent;
  context.stroke();
  context.setLineDash([]);
}

// Rings about the point under the pointer and the chosen one.
export function paintRings(context, state) {
  const rings = [[state.selected, 3, state.theme.accent], [state.hovered, 2, state.theme.ink]];
  for (const [i, width, color] of rings) {
    if (i < 0 || !state.isShown(i)) continue;
    context.beginPath();
    context.arc(state.pixels.x[i], state.pixels.y[i], state.sizeOf(i) / 2 + 4, 0, 2 * Math.PI);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }
}

const MOST_IN_LEGEND = 14;

// Rows of the legend of a saved picture, from its lower left corner upwards.
export function legendRows(lens, { data, shownClass, coloring }) {
  if (!data.labelled || coloring.values || coloring.classes) return [];
  const codes = data.classes.map((_, code) => code).filter((code) => shownClass[code] === 1);
  const kept = codes.slice(0, MOST_IN_LEGEND);
  const rows = kept.map((code) => ({ code, text: shortened(data.classes[code].name) }));
  if (codes.length > kept.length) {
    rows.push({ code: null, text: `and ${codes.length - kept.length} more` });
  }
  const top = lens.height - 12 - 18 * rows.length;
  return rows.map((row, k) => ({ ...row, x: 18, y: top + 18 * k + 9 }));
}

export function paintLegend(context, lens, state) {
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const { code, text, x, y } of legendRows(lens, state)) {
    if (code !== null) {
      const { color, marker } = state.data.classes[code];
      context.beginPath();
      markerPath(context, marker, x, y, 5);
      context.fillStyle = classColor(color, state.theme);
      context.fill();
    }
    context.fillStyle = state.theme.ink;
    context.fillText(text, x + 12, y);
  }
}
