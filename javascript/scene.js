// Curves of the picture in pixels: the rim, the grid, edges, hyperplanes and margins. Canvas and SVG
// draw the same ones.

import { apply } from "./mobius.js";
import { drawnPart, toPixel } from "./models.js";
import { hypercycle, marginDistance, movedTrace } from "./planes.js";

const LONGEST = 9; // pixels of a straight piece
const DEEPEST = 7; // halvings of a piece

// A curve t -> (x, y, q) of the disk as runs of pixels, in pieces short enough to look smooth. A run
// ends where the curve leaves the neighbourhood of the screen.
export function project(lens, { point, from, to, pieces }) {
  const runs = [];
  let run = [];
  // Only the lower part of the hyperboloid is drawn.
  const least = lens.sheet > 0 ? 0.999 * (1 - drawnPart(lens)) : -1;
  const at = (t) => {
    const [x, y, q] = point(t);
    return q < least ? [NaN, NaN] : toPixel(lens, x, y, q);
  };
  const near = ([x, y]) =>
    x > -lens.width && y > -lens.height && x < 2 * lens.width && y < 2 * lens.height;

  function refine(t1, p1, t2, p2, depth) {
    const short = Math.abs(p1[0] - p2[0]) + Math.abs(p1[1] - p2[1]) <= LONGEST;
    if (depth < DEEPEST && !short && (near(p1) || near(p2))) {
      const t = (t1 + t2) / 2;
      const p = at(t);
      refine(t1, p1, t, p, depth + 1);
      refine(t, p, t2, p2, depth + 1);
    } else if ((near(p1) || near(p2)) && !Number.isNaN(p1[0] + p2[0])) {
      if (run.length === 0) run.push(...p1);
      run.push(...p2);
    } else if (run.length) {
      runs.push(run);
      run = [];
    }
  }

  let last = at(from);
  for (let i = 1; i <= pieces; i++) {
    const t1 = from + ((to - from) * (i - 1)) / pieces;
    const t2 = from + ((to - from) * i) / pieces;
    const next = at(t2);
    refine(t1, last, t2, next, 0);
    last = next;
  }
  if (run.length) runs.push(run);
  return runs;
}

function circle(cx, cy, radius) {
  const point = (angle) => {
    const x = cx + radius * Math.cos(angle);
    const y = cy + radius * Math.sin(angle);
    return [x, y, Math.max(0, 1 - x * x - y * y)];
  };
  return { point, from: 0, to: 2 * Math.PI, pieces: 48 };
}

// The ray from the centre of the view to the distance r.
function meridian(angle, r) {
  const x = Math.cos(angle);
  const y = Math.sin(angle);
  const point = (t) => {
    const size = Math.tanh(t / 2);
    return [size * x, size * y, 1 - size * size];
  };
  return { point, from: 0, to: r, pieces: 12 };
}

const stretch = (q) => 2 / (2 - q); // from the disk to the Klein model

// The geodesic between two points of the disk: their chord in the Klein model, with t close to the
// ends slowed down, where the arc of the disk bends.
function geodesic(x1, y1, q1, x2, y2, q2) {
  const s1 = stretch(q1);
  const s2 = stretch(q2);
  const point = (t) => {
    const share = (1 - Math.cos(Math.PI * t)) / 2;
    const kx = s1 * x1 * (1 - share) + s2 * x2 * share;
    const ky = s1 * y1 * (1 - share) + s2 * y2 * share;
    const root = Math.sqrt(Math.max(0, 1 - kx * kx - ky * ky));
    return [kx / (1 + root), ky / (1 + root), (2 * root) / (1 + root)];
  };
  return { point, from: 0, to: 1, pieces: 16 };
}

// Circles and rays about the origin of the data, so that one sees where it has gone.
export function gridCurves(g, maxRadius) {
  const [ox, oy] = apply(g, 0, 0);
  const size = ox * ox + oy * oy;
  const curves = [];
  const last = Math.min(14, Math.max(2, Math.ceil(maxRadius)));
  for (let r = 1; r <= last; r++) {
    const t = Math.tanh(r / 2) ** 2;
    const shrink = (1 - t) / (1 - t * size);
    curves.push(circle(ox * shrink, oy * shrink, (Math.sqrt(t) * (1 - size)) / (1 - t * size)));
  }
  for (let ray = 0; ray < 12; ray++) {
    const angle = (Math.PI * ray) / 6;
    const [x, y] = apply(g, Math.cos(angle), Math.sin(angle));
    curves.push(geodesic(ox, oy, 1 - size, x, y, 0));
  }
  return curves;
}

// The sheet of the hyperboloid about the centre of the view: parallels and meridians.
export function sheetCurves(height) {
  const curves = [];
  const most = Math.acosh(height);
  for (let i = 1; i <= 6; i++) curves.push(circle(0, 0, Math.tanh((most * i) / 12)));
  for (let ray = 0; ray < 24; ray++) curves.push(meridian((Math.PI * ray) / 12, most));
  return curves;
}

// The boundary of the model in pixels: the ideal circle, or the line below the half-plane.
export function rimPath(lens) {
  if (lens.sheet > 0) return project(lens, circle(0, 0, Math.sqrt(drawnPart(lens))))[0] ?? [];
  const path = [];
  for (let i = 0; i <= 256; i++) {
    const angle = (2 * Math.PI * i) / 256;
    const x = Math.cos(angle);
    const y = Math.sin(angle);
    if (lens.half > 0.999) {
      if (i === 128) continue;
      path.push(lens.x + (lens.scale * 2 * y) / ((1 + x) * (1 + x) + y * y), lens.y);
    } else {
      path.push(...toPixel(lens, x, y, 0));
    }
  }
  return path;
}

const REACH = 16; // how far along a hyperplane it is drawn, either way

const hypercycleCurve = (trace, distance) => (
  { point: hypercycle(trace, distance), from: -REACH, to: REACH, pieces: 64 });

export function planeCurves(lens, traces, g, options) {
  const lines = [];
  traces.forEach((trace, k) => {
    if (!trace.drawn) return;
    const moved = movedTrace(trace, g);
    const own = options.chosen === null || options.chosen === k;
    if (options.planes) {
      for (const run of project(lens, hypercycleCurve(moved, 0))) {
        lines.push({ kind: "plane", plane: k, own, run });
      }
    }
    if (!options.margins) return;
    const distance = marginDistance(trace);
    for (const side of [-1, 1]) {
      for (const run of project(lens, hypercycleCurve(moved, side * distance))) {
        lines.push({ kind: "margin", plane: k, own, run });
      }
    }
  });
  return lines;
}
