// Edges as geodesics, many at a time.

import { placeAll } from "./models.js";

export class Edges {
  constructor(pairs) {
    this.pairs = pairs;
  }

  // Room for so many points on the edges.
  reserve(size) {
    if (this.x !== undefined && this.x.length >= size) return;
    for (const name of ["x", "y", "q"]) this[name] = new Float64Array(size);
    this.pixels = { x: new Float64Array(size), y: new Float64Array(size) };
    this.segments = new Float32Array(4 * size);
  }

  // Compute the segments x1, y1, x2, y2, … in pixels of every stride-th edge between shown points.
  // Returns how many numbers of `segments` they take.
  compute(lens, points, shown, pieces, stride = 1) {
    const { pairs } = this;
    const step = pieces + 1;
    this.reserve((Math.floor(pairs.length / 2) + 1) * step);
    const shares = Array.from({ length: step }, (_, p) => (1 - Math.cos((Math.PI * p) / pieces)) / 2);
    let drawn = 0;
    for (let e = 0; e < pairs.length; e += 2 * stride) {
      if (!shown(pairs[e]) || !shown(pairs[e + 1])) continue;
      this.arc(points, pairs[e], pairs[e + 1], shares, drawn * step);
      drawn += 1;
    }
    placeAll(lens, this, this.pixels, drawn * step);
    return this.join(drawn, step);
  }

  // Points of one geodesic: of a chord of the Klein model, back in the disk.
  arc({ x, y, q }, i, j, shares, at) {
    const s1 = 2 / (2 - q[i]);
    const s2 = 2 / (2 - q[j]);
    const [x1, y1, x2, y2] = [s1 * x[i], s1 * y[i], s2 * x[j], s2 * y[j]];
    for (let p = 0; p < shares.length; p++) {
      const kx = x1 + (x2 - x1) * shares[p];
      const ky = y1 + (y2 - y1) * shares[p];
      const root = Math.sqrt(Math.max(0, 1 - kx * kx - ky * ky));
      this.x[at + p] = kx / (1 + root);
      this.y[at + p] = ky / (1 + root);
      this.q[at + p] = (2 * root) / (1 + root);
    }
  }

  join(drawn, step) {
    const { segments, pixels } = this;
    let out = 0;
    for (let edge = 0; edge < drawn; edge++) {
      for (let p = edge * step; p < edge * step + step - 1; p++) {
        segments[out] = pixels.x[p];
        segments[out + 1] = pixels.y[p];
        segments[out + 2] = pixels.x[p + 1];
        segments[out + 3] = pixels.y[p + 1];
        out += 4;
      }
    }
    return out;
  }
}

// Pieces of an edge: enough for a smooth arc, fewer where there are many.
export const piecesOf = ({ edges }) => (edges.length > 6000 ? 16 : 64);

// Many edges are drawn fainter.
export function edgeAlpha({ edges }) {
  return Math.max(0.15, 0.85 / Math.sqrt(1 + (edges?.length ?? 0) / 6000));
}
