// Hyperplanes under the isometry of the view, their curves, distances and decisions.
//
// A hyperplane w = s (sinh a, cosh a · u) of the plane ends in the ideal points at the angles
// phi ± psi, phi that of u and psi = 2 atan(exp(-a)). Moving the two angles is accurate however far
// the view has travelled.

import { applyToAngle, applyToVector } from "./mobius.js";

// The planes of a fit as they cut the plane of the picture, before the isometry.
export const tracesOf = (fit) => Array.from({ length: fit.nPlanes }, (_, k) => traceOf(fit, k));

function traceOf(fit, k) {
  const { slice } = fit;
  const scale = Math.exp(fit.logScale[k]);
  const [a, ux, uy] = slice === null
    ? [fit.offset[k], fit.normal[2 * k], fit.normal[2 * k + 1]]
    : slice.subarray(3 * k, 3 * k + 3);
  if (!Number.isFinite(a)) {
    const vector = (fit.origin ?? [1, 0, 0]).map((part) => Math.sign(a) * part);
    return { vector, drawn: false };
  }
  const length = slice === null ? 1 : Math.hypot(ux, uy);
  const phi = Math.atan2(uy, ux);
  const vector = [scale * Math.sinh(a), scale * Math.cosh(a) * ux, scale * Math.cosh(a) * uy];
  // cos(psi) = tanh(a) in the plane; a shorter part of the normal meets it later, or never.
  const ratio = Math.tanh(a) / length;
  if (!(Math.abs(ratio) < 1)) return { vector, drawn: false };
  const psi = slice === null ? 2 * Math.atan(Math.exp(-a)) : Math.acos(ratio);
  const logScale = fit.logScale[k] + Math.log(Math.cosh(a) * length * Math.sin(psi));
  return { vector, drawn: true, phi, psi, logScale: slice === null ? fit.logScale[k] : logScale };
}

// A trace after the isometry g.
export function movedTrace(trace, g) {
  if (!trace.drawn) return { drawn: false, vector: applyToVector(g, trace.vector) };
  const first = applyToAngle(g, trace.phi - trace.psi);
  const last = applyToAngle(g, trace.phi + trace.psi);
  const turn = 2 * Math.PI;
  const width = (((last - first) % turn) + turn) % turn;
  const psi = Math.max(width / 2, 1e-15);
  const phi = first + psi;
  const size = Math.exp(trace.logScale) / Math.sin(psi);
  const vector = [size * Math.cos(psi), size * Math.cos(phi), size * Math.sin(phi)];
  return { drawn: true, phi, psi, logScale: trace.logScale, vector };
}

// The curve at a signed distance from a moved trace: t -> (x, y, q) of the disk, t the distance along
// the hyperplane from its point closest to the centre of the view.
export function hypercycle({ phi, psi }, distance) {
  const sinhA = Math.cos(psi) / Math.sin(psi);
  const coshA = 1 / Math.sin(psi);
  const ux = Math.cos(phi);
  const uy = Math.sin(phi);
  const near = Math.cosh(distance);
  const off = Math.sinh(distance);
  return (t) => {
    const along = near * Math.cosh(t);
    const across = near * Math.sinh(t);
    const x0 = along * coshA - off * sinhA;
    const radial = along * sinhA - off * coshA;
    const size = 1 / (1 + x0);
    return [(radial * ux - across * uy) * size, (radial * uy + across * ux) * size, 2 * size];
  };
}

// Distance of the curves of scores ±1 from the hyperplane.
export const marginDistance = ({ logScale }) => Math.asinh(Math.exp(-logScale));

// Signed distance at curvature -1 of a point (radius, unit direction) of any dimension.
export function signedDistance(fit, k, radius, direction) {
  const a = fit.offset[k];
  if (!Number.isFinite(a)) return a;
  const n = fit.dim;
  let half = 0;
  for (let i = 0; i < n; i++) {
    const difference = fit.normal[k * n + i] - direction[i];
    half += (difference * difference) / 2;
  }
  // sinh(a - r) + cosh(a) sinh(r) (1 - u·v), divided by exp(|a| + r) so that it cannot overflow.
  const size = Math.abs(a) + radius;
  const first = (Math.exp(a - radius - size) - Math.exp(radius - a - size)) / 2;
  const second = ((1 + Math.exp(-2 * Math.abs(a))) * (1 - Math.exp(-2 * radius)) * half) / 4;
  const value = first + second;
  if (size < 30) return Math.asinh(value * Math.exp(size));
  return value === 0 ? 0 : Math.sign(value) * (size + Math.log(2 * Math.abs(value)));
}

// A function (x, y) -> number of the class in the view's disk, or null where a fit has no rule.
export function decisionIn(fit, traces, g, back) {
  if (fit.texture !== null) return textureDecision(fit.texture, fit.nClasses, back);
  const vectors = traces.map((trace) => movedTrace(trace, g).vector);
  const value = scoreFunction(fit, vectors);
  if (fit.rule === "sign") return (x, y) => (value(0, x, y) > 0 ? 1 : 0);
  if (fit.rule === "argmax") return (x, y) => highest(vectors.length, (k) => value(k, x, y));
  if (fit.rule === "votes") return voting(fit.pairs, fit.nClasses, value);
  return null;
}

// Scores of a point up to a positive factor where only their order matters, else log-odds.
function scoreFunction(fit, vectors) {
  const { slope, intercept } = fit;
  if (slope === null && fit.rule !== "votes") {
    return (k, x, y) => {
      const w = vectors[k];
      return w[0] * (1 + x * x + y * y) - 2 * (w[1] * x + w[2] * y);
    };
  }
  return (k, x, y) => {
    const w = vectors[k];
    const size = x * x + y * y;
    const product = (w[0] * (1 + size) - 2 * (w[1] * x + w[2] * y)) / (1 - size);
    const score = Math.asinh(product);
    return slope === null ? score : slope[k] * score + intercept[k];
  };
}

function highest(count, value) {
  let best = 0;
  let most = value(0);
  for (let k = 1; k < count; k++) {
    const other = value(k);
    if (other > most) {
      best = k;
      most = other;
    }
  }
  return best;
}

// Votes of the pairs; ties go to the class that the pairs are more sure of.
function voting(pairs, nClasses, value) {
  const votes = new Float64Array(nClasses);
  const sure = new Float64Array(nClasses);
  return (x, y) => {
    votes.fill(0);
    sure.fill(0);
    for (let k = 0; k < pairs.length; k++) {
      const [a, b] = pairs[k];
      const score = value(k, x, y);
      votes[score > 0 ? b : a] += 1;
      sure[b] += score;
      sure[a] -= score;
    }
    return highest(nClasses, (k) => votes[k] + sure[k] / (3 * (Math.abs(sure[k]) + 1)));
  };
}

// Decisions of a classifier without hyperplanes: asked beforehand on a grid of radius and angle.
// Between neighbours of two classes the place of the change is known too, in 256 parts of the way
// outwards and around. The four corners of a cell vote, weighted so that boundaries run through
// these places.
function textureDecision(texture, nClasses, [ar, ai, br, bi]) {
  const { codes, outward, around, nRadius, nAngle, maxRadius } = texture;
  const votes = new Float64Array(nClasses);
  return (x, y) => {
    const nr = ar * x - ai * y + br;
    const ni = ar * y + ai * x + bi;
    const dr = br * x + bi * y + ar;
    const di = br * y - bi * x - ai;
    const size = Math.sqrt((nr * nr + ni * ni) / (dr * dr + di * di));
    const radius = 2 * Math.atanh(Math.min(size, 1 - 1e-12));
    const turns = (Math.atan2(ni, nr) - Math.atan2(di, dr)) / (2 * Math.PI);
    const row = Math.min(Math.max((radius / maxRadius) * nRadius - 0.5, 0), nRadius - 1);
    const column = (turns - Math.floor(turns)) * nAngle;
    const low = Math.min(Math.floor(row), nRadius - 2);
    const left = Math.floor(column) % nAngle;
    const here = low * nAngle + left;
    const beside = low * nAngle + ((left + 1) % nAngle);
    const code = codes[here];
    const same = codes[beside] === code && codes[here + nAngle] === code &&
      codes[beside + nAngle] === code;
    if (same) return code;
    const t = row - low;
    const s = column - Math.floor(column);
    const right = share(s, around[here], around[here + nAngle], t);
    const up = share(t, outward[here], outward[beside], s);
    votes.fill(0);
    votes[code] += (1 - right) * (1 - up);
    votes[codes[beside]] += right * (1 - up);
    votes[codes[here + nAngle]] += (1 - right) * up;
    votes[codes[beside + nAngle]] += right * up;
    return highest(nClasses, (k) => votes[k]);
  };
}

// How much of a vote the far end of a way has at a place on it: a half where the class changes,
// which is known on both sides of a cell, or on one of them (255 is no change).
function share(place, near, far, between) {
  const [first, last] = [near === 255 ? far : near, far === 255 ? near : far];
  const change = (first + (last - first) * between + 0.5) / 256;
  return place < change ? (0.5 * place) / change : 0.5 + (0.5 * (place - change)) / (1 - change);
}
