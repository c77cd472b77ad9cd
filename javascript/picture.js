// The three layers of the picture, and the drawing of one frame of an explorer's state.

import { channels } from "./colors.js";
import { Edges, edgeAlpha, piecesOf } from "./edges.js";
import { GLRenderer } from "./gl.js";
import {
  paintEdges, paintGround, paintLabels, paintLasso, paintPixels, paintPlanes, paintPoints, paintRings,
  paintSets, pointColor,
} from "./layers.js";
import { inverse } from "./mobius.js";
import { decisionIn } from "./planes.js";
import { mixedPixel, regionImage } from "./regions.js";
import { MARKERS } from "./shapes.js";

export const CROWD = 20000; // points beyond which each is a plain small square
const SHAPED = 4000; // points that a canvas draws with their shapes
export const MANY = SHAPED; // points from which it is worth to ask whether WebGL is fast
const SLOW = 20; // milliseconds of a frame
const COARSE = 100000; // scores that the regions may cost while things move
const FINE = 5000000; // and at rest

export class Picture {
  constructor(stage, data, wanted) {
    [this.ground, this.middle, this.over] = ["ground", "points", "over"].map((name) => {
      const canvas = document.createElement("canvas");
      canvas.className = `hyx-layer hyx-${name}`;
      canvas.setAttribute("aria-hidden", "true");
      stage.append(canvas);
      return canvas;
    });
    this.gl = wanted === "canvas" ? null : GLRenderer.make(this.middle, data.n <= SHAPED);
    this.sheet = document.createElement("canvas");
    this.edges = data.edges === null ? null : new Edges(data.edges);
    this.stride = 1;
    this.lastFrame = 0;
  }

  // A canvas that has had a WebGL context gives no other: it is replaced.
  useCanvas() {
    const fresh = this.middle.cloneNode();
    this.middle.replaceWith(fresh);
    this.middle = fresh;
    this.gl = null;
  }

  get renderer() {
    return this.gl === null ? "canvas" : this.gl.name;
  }

  resize(width, height) {
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
    for (const canvas of [this.ground, this.middle, this.over]) {
      canvas.width = Math.round(this.width * this.ratio);
      canvas.height = Math.round(this.height * this.ratio);
    }
  }

  // Colours and shapes of the points, which change with the theme and what they are coloured by.
  restyle(state) {
    const { n, codes, classes } = state.data;
    const styles = new Uint8Array(4 * n);
    this.packed = new Uint32Array(n);
    for (let i = 0; i < n; i++) {
      const parts = channels(pointColor(state, i));
      styles.set(parts, 4 * i);
      styles[4 * i + 3] = MARKERS.indexOf(classes[codes[i]].marker);
      this.packed[i] = ((255 << 24) | (parts[2] << 16) | (parts[1] << 8) | parts[0]) >>> 0;
    }
    this.gl?.setStyles(styles);
  }

  draw(lens, state, moving) {
    const ground = this.context(this.ground);
    paintGround(ground, lens, state, this.regions(lens, state, this.step(state, moving)));
    this.drawPoints(lens, state, moving);
    const over = this.context(this.over);
    paintPlanes(over, lens, state);
    if (!(moving && state.data.n > CROWD)) paintLabels(over, lens, state);
    paintSets(over, lens, state);
    paintRings(over, state);
    paintLasso(over, state);
  }

  // Pixels per side of a block of the regions: the more hyperplanes, the fewer blocks.
  step(state, moving) {
    const planes = Math.max(4, state.fit?.nPlanes ?? 0);
    const most = moving ? COARSE : FINE;
    const step = Math.ceil(Math.sqrt((this.width * this.height * planes) / most));
    return Math.max(moving ? 2 : 1, step);
  }

  context(canvas) {
    const context = canvas.getContext("2d", { willReadFrequently: this.gl === null });
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return context;
  }

  // The decision regions, or the bare sheet of the hyperboloid, as a canvas that covers the picture;
  // null where there is neither.
  regions(lens, state, step) {
    if (lens.half > 0 && lens.klein + lens.sheet > 0) return null; // no way back from the screen
    const shown = state.fit !== null && state.show.regions;
    const known = shown ? decisionIn(state.fit, state.traces, state.g, inverse(state.g)) : null;
    if (known === null && lens.sheet === 0) return null;
    const share = state.theme.dark ? 0.3 : 0.26;
    const colors = state.data.classes.map(({ color }) => mixedPixel(color, state.theme.disk, share));
    if (known === null) colors[0] = mixedPixel(state.theme.disk, state.theme.disk, 1);
    const image = regionImage(lens, known ?? (() => 0), colors, step);
    this.sheet.width = image.width;
    this.sheet.height = image.height;
    this.sheet.getContext("2d").putImageData(image, 0, 0);
    return this.sheet;
  }

  // Whether WebGL is software that takes long for so many points. It is tried, not guessed: the
  // second of two frames is measured, when everything is compiled.
  drawsSlowly(lens, state) {
    if (this.gl === null) return false;
    let took = 0;
    for (let tries = 0; tries < 2; tries++) {
      const start = performance.now();
      this.drawPoints(lens, state, true);
      this.gl.wait();
      took = performance.now() - start;
    }
    return took > SLOW;
  }

  drawPoints(lens, state, moving) {
    const count = this.edgePixels(lens, state, moving);
    if (this.gl === null) {
      this.drawPointsOnCanvas(lens, state, count);
      return;
    }
    const { data, pixels } = state;
    const crowded = data.n > CROWD;
    this.places ??= new Float32Array(3 * data.n);
    const { places } = this;
    for (let i = 0; i < data.n; i++) {
      const seen = state.isShown(i) && Math.abs(pixels.x[i]) + Math.abs(pixels.y[i]) < 1e5;
      places[3 * i] = seen ? pixels.x[i] : -1e4;
      places[3 * i + 1] = pixels.y[i];
      // The shader adds two pixels for soft edges, which plain squares do not have.
      places[3 * i + 2] = crowded ? state.pointSize - 2 / this.ratio : state.sizeOf(i);
    }
    this.gl.draw({
      width: this.width,
      height: this.height,
      ratio: this.ratio,
      places,
      count: data.n,
      alpha: crowded ? 0.75 : 0.95,
      plain: crowded,
      segments: this.edges?.segments,
      nSegments: count,
      edgeColor: [...channels(state.theme.edge).map((part) => part / 255), edgeAlpha(state.data)],
    });
  }

  drawPointsOnCanvas(lens, state, count) {
    const context = this.context(this.middle);
    const crowded = state.data.n > SHAPED;
    if (crowded) {
      this.crowd = paintPixels(context, lens, state, this.packed, this.ratio, this.crowd);
    }
    if (count > 0) {
      context.globalAlpha = edgeAlpha(state.data);
      paintEdges(context, this.edges.segments, count, state.theme.edge);
      context.globalAlpha = 1;
    }
    if (!crowded) paintPoints(context, lens, state);
  }

  // How many numbers the segments of the edges take. While frames come too slowly, only one edge in
  // two, four, … is drawn until the movement ends.
  edgePixels(lens, state, moving) {
    if (this.edges === null || !state.show.edges) return 0;
    const now = performance.now();
    const gap = now - this.lastFrame;
    if (moving && gap < 500) {
      if (gap > 45) this.stride = Math.min(32, 2 * this.stride);
      else if (gap < 25) this.stride = Math.max(1, this.stride / 2);
    }
    this.lastFrame = now;
    const pieces = moving && state.data.edges.length > 8000 ? 6 : piecesOf(state.data);
    const shown = (i) => state.isShown(i);
    return this.edges.compute(lens, state.moved, shown, pieces, moving ? this.stride : 1);
  }
}
