// What the page shows, decoded from the payload, and the points as points of the disk.

const TYPES = {
  f8: Float64Array,
  f4: Float32Array,
  i4: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
};

function decode(array) {
  if (array === null || array === undefined) return null;
  const text = atob(array.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new TYPES[array.type](bytes.buffer);
}

export function readPayload(payload) {
  const data = {
    ...payload,
    radius: decode(payload.radius),
    direction: decode(payload.direction),
    X: decode(payload.X),
    codes: decode(payload.codes) ?? new Uint8Array(payload.n),
    values: decode(payload.values),
    edges: decode(payload.edges),
    probabilities: decode(payload.probabilities),
    fits: payload.fits.map((fit) => readFit(fit, payload)),
  };
  data.unit = 1 / Math.sqrt(-payload.curvature);
  data.planar = payload.dim === 2;
  return data;
}

function readFit(fit, payload) {
  const texture = fit.texture && { ...fit.texture, codes: decode(fit.texture.codes) };
  return {
    ...fit,
    dim: payload.dim,
    nPlanes: fit.plane_names.length,
    nClasses: payload.classes.length,
    logScale: decode(fit.log_scale),
    offset: decode(fit.offset),
    normal: decode(fit.normal),
    second: decode(fit.second),
    slope: decode(fit.slope),
    intercept: decode(fit.intercept),
    predicted: decode(fit.predicted),
    texture: texture ?? null,
  };
}

// The two directions that span the plane of the picture, or null where the space is that plane.
export function basisOf(data, fit, k) {
  if (data.planar) return null;
  const n = data.dim;
  if (fit === null || fit.nPlanes === 0) return data.principal.map((row) => Float64Array.from(row));
  return [fit.normal.subarray(k * n, (k + 1) * n), fit.second.subarray(k * n, (k + 1) * n)];
}

// All points in the disk: coordinates x, y and q = 1 - |z|², which keeps its digits near the rim.
export function diskPoints(data, basis) {
  const { n, radius, direction, dim } = data;
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  const q = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    if (basis === null) {
      const size = Math.tanh(radius[i] / 2);
      x[i] = size * direction[2 * i];
      y[i] = size * direction[2 * i + 1];
      q[i] = 1 / Math.cosh(radius[i] / 2) ** 2;
    } else {
      const v = direction.subarray(i * dim, (i + 1) * dim);
      projected(radius[i], v, basis, x, y, q, i);
    }
  }
  return { x, y, q };
}

// The orthogonal projection onto the plane through the origin along the basis: on the hyperboloid
// the other coordinates are left out and the rest is scaled back onto the sheet.
function projected(r, v, [first, second], x, y, q, i) {
  let along = 0;
  let across = 0;
  for (let j = 0; j < v.length; j++) {
    along += v[j] * first[j];
    across += v[j] * second[j];
  }
  const shrink = Math.exp(-2 * r); // everything below is divided by exp(r)
  const cosh = (1 + shrink) / 2;
  const sinh = (1 - shrink) / 2;
  const rest = Math.max(0, 1 - along * along - across * across);
  const size = Math.sqrt(shrink + sinh * sinh * rest);
  x[i] = (sinh * along) / (size + cosh);
  y[i] = (sinh * across) / (size + cosh);
  q[i] = (2 * size) / (size + cosh);
}

// All points after an isometry, written into view.
export function movePoints(g, base, view) {
  const [ar, ai, br, bi] = g;
  const { x, y, q } = base;
  for (let i = 0; i < x.length; i++) {
    const nr = ar * x[i] - ai * y[i] + br;
    const ni = ar * y[i] + ai * x[i] + bi;
    const dr = br * x[i] + bi * y[i] + ar;
    const di = br * y[i] - bi * x[i] - ai;
    const size = 1 / (dr * dr + di * di);
    view.x[i] = (nr * dr + ni * di) * size;
    view.y[i] = (ni * dr - nr * di) * size;
    view.q[i] = q[i] * size;
  }
}

export const nameOf = (data, i) => (data.names === null ? `Point ${i}` : data.names[i]);
