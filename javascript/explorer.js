// The state of an explorer, and everything that changes it.

import { themeOf } from "./colors.js";
import { coloringsOf, countWhere, isWrong, pointsInside } from "./analysis.js";
import { diskPoints, movePoints, readPayload } from "./data.js";
import {
  FARTHEST, between, compose, identity, reach, rotation, translation, translationTaking,
} from "./mobius.js";
import { MAX_TILT, fromPixel, makeLens, placeAll } from "./models.js";
import { CROWD, MANY, Picture } from "./picture.js";
import { tracesOf } from "./planes.js";

const IDLE = 140; // milliseconds without a change after which the picture is drawn in full
const RIM = 1 - 1e-13;

export class Explorer {
  constructor(stage, payload, { renderer = null } = {}) {
    this.stage = stage;
    this.data = readPayload(payload);
    const { n, classes, fits, initial_fit: initial } = this.data;
    this.g = identity();
    this.view = { zoom: 1, panX: 0, panY: 0, tilt: 34 };
    this.model = "ball";
    this.passage = null;
    this.fitIndex = initial;
    this.fit = fits[initial] ?? null;
    this.chosen = null;
    this.colorings = coloringsOf(this.data);
    [this.coloring] = this.colorings;
    this.onlyWrong = false;
    this.lasso = null; // the polygon that is drawn; empty before the drag
    this.picked = [];
    this.shownClass = new Uint8Array(classes.length).fill(1);
    this.show = {
      regions: true, planes: true, margins: true, edges: true, grid: true, names: true, support: false,
    };
    this.hovered = -1;
    this.selected = -1;
    this.moved = { x: new Float64Array(n), y: new Float64Array(n), q: new Float64Array(n) };
    this.pixels = { x: new Float64Array(n), y: new Float64Array(n) };
    this.listeners = [];
    this.frames = 0;
    this.picture = new Picture(stage, this.data, renderer);
    this.picture.middle.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.picture.useCanvas();
      this.resize();
    });
    this.project();
    this.resize();
    if (renderer === null && n > MANY && this.picture.drawsSlowly(this.place(), this)) {
      this.picture.useCanvas();
      this.resize();
    }
  }

  // The points of the plane of the picture: all of the space, or its projection onto a plane.
  project() {
    this.base = diskPoints(this.data, this.fit);
    this.retrace();
  }

  retrace() {
    this.traces = this.fit === null ? [] : tracesOf(this.fit);
  }

  on(listener) {
    this.listeners.push(listener);
  }

  // Draw again soon, and tell those who show the state elsewhere.
  changed(what = "view") {
    for (const listener of this.listeners) listener(what);
    this.touched = performance.now();
    this.pending ??= requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.pending = null;
    this.step?.(now);
    const resting = !this.step && !this.held && now - this.touched > IDLE;
    this.draw(!resting);
    this.frames += 1;
    clearTimeout(this.later);
    if (this.step) this.pending ??= requestAnimationFrame((next) => this.frame(next));
    else if (!resting && !this.held) this.later = setTimeout(() => this.rest(), IDLE);
  }

  // The last frame of a movement, in full.
  rest() {
    this.pending ??= requestAnimationFrame((now) => this.frame(now + 2 * IDLE));
  }

  draw(moving) {
    this.picture.draw(this.place(), this, moving);
  }

  resize() {
    this.picture.resize(this.stage.clientWidth, this.stage.clientHeight);
    this.restyle();
  }

  // A canvas of another size is empty: it is drawn in the same frame, so that it never flickers.
  resized() {
    this.resize();
    cancelAnimationFrame(this.pending);
    this.frame(performance.now());
  }

  restyle() {
    this.theme = themeOf(this.stage);
    this.picture.restyle(this);
    this.changed();
  }

  lens() {
    const { from, to, t } = this.passage ?? { from: this.model, to: this.model, t: 1 };
    return makeLens(from, to, t, this.view, this.picture.width, this.picture.height);
  }

  // Compute the positions of all points, in the disk of the view and on the screen.
  place() {
    const lens = this.lens();
    movePoints(this.g, this.base, this.moved);
    placeAll(lens, this.moved, this.pixels);
    const { n } = this.data;
    const shown = this.onlyWrong ? Math.max(1, countWhere(n, (i) => isWrong(this, i))) : n;
    const size = Math.min(11, Math.max(2.4, 11 * (150 / shown) ** 0.23));
    this.pointSize = size * this.view.zoom ** 0.25;
    return lens;
  }

  isShown(i) {
    return this.shownClass[this.data.codes[i]] === 1 && !(this.onlyWrong && !isWrong(this, i));
  }

  // Points shrink towards the rim, where the disk shrinks everything.
  sizeOf(i) {
    if (this.data.n > CROWD) return this.pointSize;
    return this.pointSize * (0.5 + 0.5 * Math.sqrt(Math.min(1, Math.max(0, this.moved.q[i]))));
  }

  get planeOptions() {
    return { planes: this.show.planes, margins: this.show.margins, chosen: this.chosen };
  }

  // Play something over some milliseconds. A new animation first brings the old one to its end.
  animate(duration, update) {
    this.finish?.();
    const end = () => {
      this.step = null;
      this.finish = null;
      update(1);
      this.changed("end");
    };
    if (duration === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      end();
      return;
    }
    this.finish = end;
    let start = null;
    this.step = (now) => {
      start ??= now;
      const t = (now - start) / duration;
      if (t >= 1) end();
      else update(t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2);
    };
    this.changed();
  }

  // Isometries of the view. Those that go farther than doubles can follow are refused.

  moveTo(g) {
    if (!(reach(g) <= FARTHEST)) return false;
    this.g = g;
    this.changed();
    return true;
  }

  travel(g, duration) {
    if (!(reach(g) <= FARTHEST)) return false;
    const from = this.g;
    this.animate(duration, (t) => {
      this.g = t >= 1 ? g : between(from, g, t);
    });
    return true;
  }

  // A drag from one pixel to another takes the point under the first to the second.
  drag(start, from, to) {
    const lens = this.lens();
    const p = fromPixel(lens, ...from, true);
    const q = fromPixel(lens, ...to, true);
    return p !== null && q !== null && this.moveTo(compose(translationTaking(p, q), start));
  }

  translate(x, y) {
    this.finish?.();
    return this.travel(compose(translation(x, y), this.g), 160);
  }

  turn(angle) {
    return this.moveTo(compose(rotation(angle), this.g));
  }

  centre(i) {
    this.finish?.();
    this.place();
    const [x, y] = [this.moved.x[i], this.moved.y[i]];
    const shrink = Math.min(1, RIM / Math.hypot(x, y));
    return this.travel(compose(translation(-x * shrink, -y * shrink), this.g), 600);
  }

  reset() {
    this.finish?.();
    const from = this.g;
    const window_ = this.windowReturn();
    this.animate(500, (t) => {
      this.g = t >= 1 ? identity() : between(from, identity(), t);
      window_(t);
    });
  }

  // The window onto the model: scale, shift and tilt.

  windowReturn() {
    const { zoom, panX, panY } = this.view;
    return (t) => {
      Object.assign(this.view, { zoom: zoom ** (1 - t), panX: panX * (1 - t), panY: panY * (1 - t) });
    };
  }

  zoomAt(x, y, factor) {
    const zoom = Math.min(200, Math.max(0.1, this.view.zoom * factor));
    const lens = this.lens();
    const grown = zoom / this.view.zoom;
    this.view.panX += (x - lens.x) * (1 - grown);
    this.view.panY += (y - lens.y) * (1 - grown);
    this.view.zoom = zoom;
    this.changed();
  }

  tiltBy(degrees) {
    this.view.tilt = Math.min(MAX_TILT, Math.max(0, this.view.tilt + degrees));
    this.changed();
  }

  setModel(model, duration = 1100) {
    this.finish?.();
    if (model === this.model) return;
    const from = this.model;
    const window_ = this.windowReturn();
    this.model = model;
    this.animate(duration, (t) => {
      this.passage = t >= 1 ? null : { from, to: model, t };
      window_(t);
    });
    this.changed("model");
  }

  // What is shown.

  setFit(index, duration = 350) {
    this.finish?.();
    const last = this.fit;
    const next = this.data.fits[index];
    this.fitIndex = index;
    this.animate(canBlend(last, next) ? duration : 0, (t) => {
      this.fit = t >= 1 ? next : blended(last, next, t);
      if (next.slice === null) this.retrace();
      else this.project();
    });
    if (this.coloring.predicted) this.restyle();
    this.changed("fit");
  }

  // The hyperplane that is drawn strongly, or null for all alike.
  setPlane(k) {
    this.chosen = k;
    this.changed("plane");
  }

  setColoring(k) {
    this.coloring = this.colorings[k];
    this.restyle();
    this.changed("color");
  }

  setOnlyWrong(only) {
    this.onlyWrong = only;
    this.changed("classes");
  }

  // Begin a lasso, or give it up.
  setLasso(on) {
    this.lasso = on ? [] : null;
    this.stage.classList.toggle("hyx-lasso", on);
    this.changed("lasso");
  }

  pick(rows) {
    this.picked = rows;
    this.changed("pick");
  }

  pickInside() {
    this.place();
    const rows = this.lasso.length < 6 ? [] : pointsInside(this, this.lasso);
    this.setLasso(false);
    this.pick(rows);
  }

  setClass(code, shown) {
    this.shownClass[code] = shown ? 1 : 0;
    this.changed("classes");
  }

  setShow(name, shown) {
    this.show[name] = shown;
    this.changed("show");
  }

  hover(i) {
    if (i === this.hovered) return;
    this.hovered = i;
    this.changed("hover");
  }

  select(i) {
    this.selected = i;
    this.changed("select");
  }

  // The point drawn closest to a pixel, or -1.
  nearest(x, y, within = 10) {
    let best = -1;
    let least = within * within;
    for (let i = 0; i < this.data.n; i++) {
      const distance = (this.pixels.x[i] - x) ** 2 + (this.pixels.y[i] - y) ** 2;
      if (distance <= least && this.isShown(i)) {
        best = i;
        least = distance;
      }
    }
    return best;
  }
}

const canBlend = (a, b) =>
  a.slice === null && a.nPlanes === b.nPlanes && a.nPlanes > 0 && !a.texture && !b.texture &&
  [...a.offset, ...b.offset].every(Number.isFinite);

// Hyperplanes on their way from one fit to the next, seen only while they move.
function blended(a, b, t) {
  const mix = (p, q) => p.map((value, i) => value + (q[i] - value) * t);
  const normal = mix(a.normal, b.normal);
  for (let k = 0; k < normal.length; k += 2) {
    const size = Math.hypot(normal[k], normal[k + 1]) || 1;
    normal[k] /= size;
    normal[k + 1] /= size;
  }
  return { ...b, logScale: mix(a.logScale, b.logScale), offset: mix(a.offset, b.offset), normal };
}
