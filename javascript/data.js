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
    places: decodePlaces(payload.places),
    extra: payload.extra.map((column) => (
      { ...column, values: decode(column.values), codes: decode(column.codes) })),
    fits: payload.fits.map((fit) => readFit(fit, payload)),
  };
  data.centre = payload.places === null ? "origin" : "centre";
  data.unit = 1 / Math.sqrt(-payload.curvature);
  // Where the picture has the points: projected, or as they are.
  data.places ??= { radius: data.radius, direction: data.direction };
  return data;
}

const decodePlaces = (places) =>
  places && { radius: decode(places.radius), direction: decode(places.direction) };

function readFit(fit, payload) {
  const texture = fit.texture && { ...fit.texture };
  for (const name of texture ? ["codes", "outward", "around"] : []) {
    texture[name] = decode(texture[name]);
  }
  return {
    ...fit,
    dim: payload.dim,
    nPlanes: fit.plane_names.length,
    nClasses: payload.classes.length,
    logScale: decode(fit.log_scale),
    offset: decode(fit.offset),
    normal: decode(fit.normal),
    slice: decode(fit.slice),
    places: decodePlaces(fit.places),
    support: decode(fit.support),
    slope: decode(fit.slope),
    intercept: decode(fit.intercept),
    predicted: decode(fit.predicted),
    texture: texture ?? null,
  };
}

// All points in the disk: coordinates x, y and q = 1 - |z|², which keeps its digits near the rim.
export function diskPoints({ n, places }, fit) {
  const { radius, direction } = fit?.places ?? places;
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  const q = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const size = Math.tanh(radius[i] / 2);
    x[i] = size * direction[2 * i];
    y[i] = size * direction[2 * i + 1];
    q[i] = 1 / Math.cosh(radius[i] / 2) ** 2;
  }
  return { x, y, q };
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
