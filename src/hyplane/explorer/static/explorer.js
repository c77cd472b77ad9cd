// Made by tools/bundle_explorer.py from the files in javascript; do not edit.

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

function readPayload(payload) {
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
function diskPoints({ n, places }, fit) {
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
function movePoints(g, base, view) {
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

const nameOf = (data, i) => (data.names === null ? `Point ${i}` : data.names[i]);

// Colours of the theme, of the classes in it, and of numbers.

const NAMES = ["paper", "disk", "ink", "quiet", "rim", "grid", "edge", "accent"];

function themeOf(root) {
  const style = getComputedStyle(root);
  const theme = {};
  for (const name of NAMES) theme[name] = style.getPropertyValue(`--hyx-${name}`).trim();
  theme.dark = luminance(theme.paper) < 0.4;
  return theme;
}

const channels = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));

const hex = (parts) =>
  `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

const mixed = (color, other, share) => {
  const own = channels(color);
  return hex(channels(other).map((part, i) => own[i] * (1 - share) + part * share));
};

function luminance(color) {
  const [r, g, b] = channels(color);
  return (0.299 * r + 0.587 * g + 0.114 * b) / 255;
}

// A class's colour, made lighter where it would vanish on a dark ground.
function classColor(color, theme) {
  const light = luminance(color);
  if (!theme.dark || light >= 0.36) return color;
  return mixed(color, "#ffffff", (0.36 - light) / (1 - light) + 0.1);
}

// A line that stands out from the points of its class.
const lineColor = (color, theme) =>
  theme.dark ? mixed(color, "#ffffff", 0.25) : mixed(color, "#000000", 0.3);

// Dark blue over green to yellow: rising lightness, told apart without red and green.
const RAMP = ["#2b2f77", "#2c6c9c", "#2fa08a", "#8ac34a", "#f4e04d"];

function rampColor(share) {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const i = Math.min(Math.floor(at), RAMP.length - 2);
  return mixed(RAMP[i], RAMP[i + 1], at - i);
}

// Elements by a function call. Strings become text, never markup.

let made = 0;

const uniqueId = (name) => `hyx-${name}-${(made += 1)}`;

function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const number = (value, digits = 4) => {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const text = Number(value.toPrecision(digits)).toString();
  return text.replace("-", "−");
};

const signed = (value) => (value > 0 ? `+${number(value)}` : number(value));

// The shapes of the classes, as outlines in units of half a point's width.

const SVG = "http://www.w3.org/2000/svg";
const MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"];

const polygon = (...corners) => corners;

const OUTLINES = {
  s: polygon([-0.8, -0.8], [0.8, -0.8], [0.8, 0.8], [-0.8, 0.8]),
  "^": polygon([0, -1], [0.97, 0.72], [-0.97, 0.72]),
  D: polygon([0, -1], [1, 0], [0, 1], [-1, 0]),
  v: polygon([0, 1], [0.97, -0.72], [-0.97, -0.72]),
  P: polygon(
    [-0.33, -0.95], [0.33, -0.95], [0.33, -0.33], [0.95, -0.33], [0.95, 0.33], [0.33, 0.33],
    [0.33, 0.95], [-0.33, 0.95], [-0.33, 0.33], [-0.95, 0.33], [-0.95, -0.33], [-0.33, -0.33],
  ),
};
OUTLINES.X = OUTLINES.P.map(([x, y]) => [(x - y) * 0.7071, (x + y) * 0.7071]);
OUTLINES["*"] = Array.from({ length: 10 }, (_, i) => {
  const size = i % 2 === 0 ? 1 : 0.45;
  const angle = (Math.PI * i) / 5 - Math.PI / 2;
  return [size * Math.cos(angle), size * Math.sin(angle)];
});

function markerPath(path, marker, x, y, half) {
  const outline = OUTLINES[marker];
  if (outline === undefined) {
    path.moveTo(x + 0.94 * half, y);
    path.arc(x, y, 0.94 * half, 0, 2 * Math.PI);
    return;
  }
  outline.forEach(([dx, dy], i) => {
    if (i === 0) path.moveTo(x + dx * half, y + dy * half);
    else path.lineTo(x + dx * half, y + dy * half);
  });
  path.closePath();
}

// The same as the data of an SVG path about the origin.
function markerData(marker, half) {
  const outline = OUTLINES[marker];
  if (outline === undefined) {
    const r = 0.94 * half;
    return `M${r} 0A${r} ${r} 0 1 1 ${-r} 0A${r} ${r} 0 1 1 ${r} 0Z`;
  }
  const corners = outline.map(([x, y]) => `${(x * half).toFixed(2)} ${(y * half).toFixed(2)}`);
  return `M${corners.join("L")}Z`;
}

// The four models, how a point of the disk is placed in each, and the way back from the screen.
//
// A place has three coordinates; only the hyperboloid uses the third. Between two models the place
// is H_s(z) + k (Klein(z) - z) + h (hyperboloid(z) - z), where H_s turns the Riemann sphere from the
// disk (s = 0) to the half-plane (s = 1). From the disk to the hyperboloid a point moves along the
// ray of the stereographic projection.

const MODELS = ["ball", "klein", "halfplane", "hyperboloid"];

const MODEL_NAMES = {
  ball: "Poincaré disk",
  klein: "Klein disk",
  halfplane: "Half-plane",
  hyperboloid: "Hyperboloid",
};

const WEIGHTS = {
  ball: { half: 0, klein: 0, sheet: 0 },
  klein: { half: 0, klein: 1, sheet: 0 },
  halfplane: { half: 1, klein: 0, sheet: 0 },
  hyperboloid: { half: 0, klein: 0, sheet: 1 },
};

const LEAST = 1e-12; // points of the sheet with a smaller q are out of sight

// Height of the drawn part of the sheet at zoom 1, and the most the bowl is tilted: up to 45
// degrees every line of sight meets the sheet once.
const SHEET_HEIGHT = 4.6;
const MAX_TILT = 43;

function framing(model, width, height) {
  const size = Math.min(width, height);
  if (model === "halfplane") {
    return { unit: 0.2 * height, x: width / 2, y: 0.9 * height };
  }
  if (model === "hyperboloid") {
    return { unit: 0.098 * size, x: width / 2, y: height / 2 + 0.27 * size };
  }
  return { unit: size / 2 - Math.max(12, 0.025 * size), x: width / 2, y: height / 2 };
}

// Where things are on the screen: the weights of the models and the camera.
function makeLens(from, to, t, view, width, height) {
  const a = framing(from, width, height);
  const b = framing(to, width, height);
  const mix = (p, q) => p + (q - p) * t;
  const weights = {};
  for (const key of ["half", "klein", "sheet"]) {
    weights[key] = mix(WEIGHTS[from][key], WEIGHTS[to][key]);
  }
  const tilt = (weights.sheet * view.tilt * Math.PI) / 180;
  return {
    ...weights,
    model: t >= 1 || from === to ? to : null,
    // The mean of the reciprocals: quick to make room while points rise from the disk to the sheet.
    scale: view.zoom / mix(1 / a.unit, 1 / b.unit),
    x: mix(a.x, b.x) + view.panX,
    y: mix(a.y, b.y) + view.panY,
    cos: Math.cos(tilt),
    sin: Math.sin(tilt),
    sheetHeight: 1 + SHEET_HEIGHT / Math.min(1, view.zoom),
    width,
    height,
  };
}

// The place of a point z of the disk with q = 1 - |z|², in the coordinates of the model.
function place(lens, x, y, q) {
  if (lens.model === "ball") return [x, y, 0];
  if (lens.model === "halfplane") {
    const size = (1 + x) * (1 + x) + y * y;
    return [(2 * y) / size, q / size, 0];
  }
  let px = x;
  let py = y;
  let pz = 0;
  if (lens.half > 0) [px, py] = turnedSphere(lens.half, x, y);
  if (lens.klein > 0) {
    const stretch = lens.klein * (q / (2 - q));
    px += stretch * x;
    py += stretch * y;
  }
  if (lens.sheet > 0) {
    const r = Math.max(q, LEAST);
    px += lens.sheet * ((2 / r - 1) * x);
    py += lens.sheet * ((2 / r - 1) * y);
    pz += lens.sheet * (2 / r - 1);
  }
  return [px, py, pz];
}

function turnedSphere(share, x, y) {
  const turn = (-share * Math.PI) / 2;
  const wx = Math.cos(turn) * x - Math.sin(turn) * y;
  const wy = Math.sin(turn) * x + Math.cos(turn) * y;
  const c = Math.cos((share * Math.PI) / 4);
  const s = Math.sin((share * Math.PI) / 4);
  const nr = c * wx;
  const ni = c * wy + s;
  const dr = c - s * wy;
  const di = s * wx;
  const size = Math.max(dr * dr + di * di, 1e-300);
  return [(nr * dr + ni * di) / size, (ni * dr - nr * di) / size];
}

function toPixel(lens, x, y, q) {
  const [px, py, pz] = place(lens, x, y, q);
  return [
    lens.x + lens.scale * px,
    lens.y - lens.scale * (py * lens.cos + pz * lens.sin),
  ];
}

// Many points at once: disk coordinates (x, y, q) to pixels, in doubles.
function placeAll(lens, view, pixels, n = view.x.length) {
  const { x, y, q } = view;
  const { scale, x: left, y: top } = lens;
  if (lens.model === "ball") {
    for (let i = 0; i < n; i++) {
      pixels.x[i] = left + scale * x[i];
      pixels.y[i] = top - scale * y[i];
    }
  } else if (lens.model === "klein") {
    for (let i = 0; i < n; i++) {
      const stretch = (2 * scale) / (2 - q[i]);
      pixels.x[i] = left + stretch * x[i];
      pixels.y[i] = top - stretch * y[i];
    }
  } else if (lens.model === "halfplane") {
    for (let i = 0; i < n; i++) {
      const size = scale / ((1 + x[i]) * (1 + x[i]) + y[i] * y[i]);
      pixels.x[i] = left + 2 * y[i] * size;
      pixels.y[i] = top - q[i] * size;
    }
  } else if (lens.model === "hyperboloid") {
    for (let i = 0; i < n; i++) {
      const size = (2 * scale) / Math.max(q[i], LEAST);
      pixels.x[i] = left + size * x[i];
      pixels.y[i] = top - lens.cos * size * y[i] - lens.sin * (size - scale);
    }
  } else {
    for (let i = 0; i < n; i++) {
      const [px, py] = toPixel(lens, x[i], y[i], q[i]);
      pixels.x[i] = px;
      pixels.y[i] = py;
    }
  }
}

// The point of the disk under a pixel, or null where there is none. With nearest, pixels outside
// the model give the closest direction inside.
function fromPixel(lens, px, py, nearest = false) {
  const x = (px - lens.x) / lens.scale;
  const y = (lens.y - py) / lens.scale;
  const limit = nearest ? 0.9995 : 1;
  if (lens.model === "ball") return inside(x, y, limit, nearest);
  if (lens.model === "klein") {
    const kleinLimit = (2 * limit) / (1 + limit * limit);
    const point = inside(x, y, nearest ? kleinLimit : 1, nearest);
    if (point === null) return null;
    const [kx, ky] = point;
    const root = 1 + Math.sqrt(Math.max(0, 1 - kx * kx - ky * ky));
    return [kx / root, ky / root];
  }
  if (lens.model === "halfplane") {
    if (y <= 0 && !nearest) return null;
    const h = Math.max(y, 1e-4);
    const size = x * x + (1 + h) * (1 + h);
    return [(1 - x * x - h * h) / size, (2 * x) / size];
  }
  if (lens.model === "hyperboloid") return onSheet(lens, x, y);
  if (lens.half === 0) return onTheWay(lens, x, y);
  return lens.klein === 0 && lens.sheet === 0 ? turnedBack(lens.half, x, y) : null;
}

// The largest |z|² that is drawn: all of a disk, the lower part of the sheet.
const drawnPart = (lens) => 1 - (2 * lens.sheet) / (1 + lens.sheetHeight);

// Between disk, Klein disk and hyperboloid: the radius at which a point would be seen here.
function onTheWay({ klein, sheet, sin, cos }, x, y) {
  const at = (r) => {
    const q = 1 - r * r;
    const grown = 1 + (klein * q) / (2 - q) + sheet * (2 / q - 1);
    return [x / grown, (y - sheet * (2 / q - 1) * sin) / (grown * cos)];
  };
  let low = 0;
  let high = 1 - 1e-9;
  if (Math.hypot(...at(high)) > high) return null;
  for (let i = 0; i < 26; i++) {
    const middle = (low + high) / 2;
    if (Math.hypot(...at(middle)) > middle) low = middle;
    else high = middle;
  }
  return at(high);
}

function turnedBack(share, x, y) {
  const c = Math.cos((share * Math.PI) / 4);
  const s = Math.sin((share * Math.PI) / 4);
  const nr = c * x;
  const ni = c * y - s;
  const dr = c + s * y;
  const di = -s * x;
  const size = dr * dr + di * di;
  const wx = (nr * dr + ni * di) / size;
  const wy = (ni * dr - nr * di) / size;
  if (!(wx * wx + wy * wy < 1)) return null;
  const turn = (share * Math.PI) / 2;
  return [Math.cos(turn) * wx - Math.sin(turn) * wy, Math.sin(turn) * wx + Math.cos(turn) * wy];
}

function inside(x, y, limit, nearest) {
  const size = Math.hypot(x, y);
  if (size < limit) return [x, y];
  return nearest ? [(x * limit) / size, (y * limit) / size] : null;
}

// A line of sight goes down along (0, -sin, cos); with a tilt below 45 degrees it meets the upper
// sheet once.
function onSheet({ sin, cos }, x, y) {
  const c = cos * cos - sin * sin;
  const s = 2 * sin * cos;
  const root = Math.sqrt(y * y + c * (1 + x * x));
  const along = (root - s * y) / c;
  const py = y * cos - along * sin;
  const pz = y * sin + along * cos;
  return [x / (1 + pz), py / (1 + pz)];
}

// Isometries of the Poincaré disk: z -> (a z + b) / (conj(b) z + conj(a)), |a|² - |b|² = 1.
// One is written [re a, im a, re b, im b]. Entries grow as exp(r / 2) with the distance r that the
// origin moves, so doubles stay useful to about r = 30; the 3 x 3 Lorentz matrices lose twice the
// digits.

const FARTHEST = 30;

const identity = () => [1, 0, 0, 0];

function compose(g, h) {
  const [ar, ai, br, bi] = g;
  const [cr, ci, dr, di] = h;
  return normalised([
    ar * cr - ai * ci + br * dr + bi * di,
    ar * ci + ai * cr - br * di + bi * dr,
    ar * dr - ai * di + br * cr + bi * ci,
    ar * di + ai * dr - br * ci + bi * cr,
  ]);
}

const inverse = ([ar, ai, br, bi]) => [ar, -ai, -br, -bi];

// The modulus of a follows from b without cancellation.
function normalised([ar, ai, br, bi]) {
  const scale = Math.hypot(1, br, bi) / Math.hypot(ar, ai);
  return [ar * scale, ai * scale, br, bi];
}

function apply([ar, ai, br, bi], x, y) {
  const nr = ar * x - ai * y + br;
  const ni = ar * y + ai * x + bi;
  const dr = br * x + bi * y + ar;
  const di = br * y - bi * x - ai;
  const size = dr * dr + di * di;
  return [(nr * dr + ni * di) / size, (ni * dr - nr * di) / size];
}

// The translation along a line through the origin that takes the origin to (x, y).
function translation(x, y) {
  const scale = 1 / Math.sqrt(1 - x * x - y * y);
  return [scale, 0, x * scale, y * scale];
}

// The translation along the geodesic from p to q that takes p to q.
function translationTaking([px, py], [qx, qy]) {
  const there = translation(px, py);
  const back = inverse(there);
  const [x, y] = apply(back, qx, qy);
  return compose(compose(there, translation(x, y)), back);
}

const rotation = (angle) => [Math.cos(angle / 2), Math.sin(angle / 2), 0, 0];

// How far the origin is moved.
const reach = ([, , br, bi]) => 2 * Math.asinh(Math.hypot(br, bi));

// A share t of the way to the origin's image, for animations: the polar decomposition
// g = translation · rotation, each shortened.
function between(g, h, t) {
  const step = compose(h, inverse(g));
  const [ar, ai, br, bi] = step;
  const angle = 2 * Math.atan2(ai, ar);
  const length = Math.hypot(ar, ai);
  // The image of the origin, b / conj(a).
  const x = (br * ar - bi * ai) / (length * length);
  const y = (br * ai + bi * ar) / (length * length);
  const size = Math.hypot(x, y);
  const part = size > 0 ? Math.tanh(t * Math.asinh(Math.hypot(br, bi))) / size : 0;
  return compose(compose(translation(part * x, part * y), rotation(t * wrapped(angle))), g);
}

function wrapped(angle) {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

// The image of the ideal point at an angle, as an angle.
function applyToAngle(g, angle) {
  const [x, y] = apply(g, Math.cos(angle), Math.sin(angle));
  return Math.atan2(y, x);
}

// The same isometry on (x0, x1, x2) of Minkowski space.
function applyToVector([ar, ai, br, bi], [t, x, y]) {
  const aa = ar * ar + ai * ai;
  const bb = br * br + bi * bi;
  const pr = ar * br + ai * bi; // a conj(b)
  const pi = ai * br - ar * bi;
  const qr = ar * br - ai * bi; // a b
  const qi = ar * bi + ai * br;
  const a2r = ar * ar - ai * ai;
  const a2i = 2 * ar * ai;
  const b2r = br * br - bi * bi;
  const b2i = 2 * br * bi;
  return [
    (aa + bb) * t + 2 * (pr * x - pi * y),
    2 * qr * t + (a2r + b2r) * x + (b2i - a2i) * y,
    2 * qi * t + (a2i + b2i) * x + (a2r - b2r) * y,
  ];
}

// Points and edges on WebGL. Positions come in pixels, computed in doubles: the graphics card only
// draws.

const POINT_VERTEX = `
attribute vec3 place;
attribute vec4 style;
uniform vec2 screen;
uniform float ratio;
varying vec3 color;
varying float shape;
varying float size;
void main() {
  gl_Position = vec4(2.0 * place.x / screen.x - 1.0, 1.0 - 2.0 * place.y / screen.y, 0.0, 1.0);
  size = place.z * ratio;
  gl_PointSize = size + 2.0;
  color = style.rgb;
  shape = floor(style.a * 255.0 + 0.5);
}`;

// Signed distances to the shapes of the classes, in units of the point's half width.
const POINT_FRAGMENT = `
precision mediump float;
varying vec3 color;
varying float shape;
varying float size;
uniform float alpha;
uniform float plain;
float outside(vec2 p) {
  vec2 m = abs(p);
  if (shape < 0.5) return length(p) - 0.94;
  if (shape < 1.5) return max(m.x, m.y) - 0.8;
  if (shape < 2.5) return max(0.87 * m.x + 0.5 * -p.y - 0.5, p.y - 0.75);
  if (shape < 3.5) return 0.75 * (m.x + m.y - 1.0);
  if (shape < 4.5) return max(0.87 * m.x + 0.5 * p.y - 0.5, -p.y - 0.75);
  if (shape < 5.5) return max(min(m.x, m.y) - 0.33, max(m.x, m.y) - 0.95);
  if (shape < 6.5) {
    vec2 d = vec2(m.x + m.y, abs(m.x - m.y)) * 0.7071;
    return max(min(d.x, d.y) - 0.3, max(d.x, d.y) - 0.95);
  }
  float angle = mod(atan(p.x, -p.y) + 0.6283, 1.2566) - 0.6283;
  return length(p) * cos(angle) - mix(0.95, 0.42, abs(angle) / 0.6283) * cos(angle);
}
void main() {
  if (plain > 0.5) {
    gl_FragColor = vec4(color * alpha, alpha);
    return;
  }
  float half_width = 0.5 * size;
  vec2 p = (gl_PointCoord - 0.5) * (size + 2.0) / half_width;
  float d = outside(p) * half_width;
  float cover = clamp(0.5 - d, 0.0, 1.0) * alpha;
  float inner = clamp(-d - 0.35, 0.0, 1.0);
  gl_FragColor = vec4(mix(color * 0.55, color, inner) * cover, cover);
}`;

const LINE_VERTEX = `
attribute vec2 place;
uniform vec2 screen;
void main() {
  gl_Position = vec4(2.0 * place.x / screen.x - 1.0, 1.0 - 2.0 * place.y / screen.y, 0.0, 1.0);
}`;

const LINE_FRAGMENT = `
precision mediump float;
uniform vec4 color;
void main() { gl_FragColor = vec4(color.rgb * color.a, color.a); }`;

function program(gl, vertex, fragment) {
  const linked = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(linked, shader);
  }
  gl.linkProgram(linked);
  if (!gl.getProgramParameter(linked, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(linked));
  return linked;
}

class GLRenderer {
  // Smooth edges cost software much; points are smooth without.
  static make(canvas, antialias) {
    const settings = { alpha: true, antialias, premultipliedAlpha: true };
    try {
      const gl = canvas.getContext("webgl2", settings) ?? canvas.getContext("webgl", settings);
      return gl === null ? null : new GLRenderer(canvas, gl);
    } catch {
      return null;
    }
  }

  constructor(canvas, gl) {
    this.canvas = canvas;
    this.gl = gl;
    this.name = typeof WebGL2RenderingContext !== "undefined" && gl instanceof WebGL2RenderingContext
      ? "WebGL 2" : "WebGL 1";
    this.points = program(gl, POINT_VERTEX, POINT_FRAGMENT);
    this.lines = program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.places = gl.createBuffer();
    this.styles = gl.createBuffer();
    this.segments = gl.createBuffer();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  // Colour (three bytes) and shape (one byte) of each point.
  setStyles(styles) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.styles);
    gl.bufferData(gl.ARRAY_BUFFER, styles, gl.STATIC_DRAW);
  }

  draw({ width, height, ratio, places, count, alpha, plain, segments, nSegments, edgeColor }) {
    const { gl } = this;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (nSegments > 0) this.drawLines(width, height, segments, nSegments, edgeColor);
    gl.useProgram(this.points);
    gl.uniform2f(gl.getUniformLocation(this.points, "screen"), width, height);
    gl.uniform1f(gl.getUniformLocation(this.points, "ratio"), ratio);
    gl.uniform1f(gl.getUniformLocation(this.points, "alpha"), alpha);
    gl.uniform1f(gl.getUniformLocation(this.points, "plain"), plain ? 1 : 0);
    this.attribute(this.points, "place", this.places, 3, gl.FLOAT);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
    this.attribute(this.points, "style", this.styles, 4, gl.UNSIGNED_BYTE);
    gl.drawArrays(gl.POINTS, 0, count);
  }

  drawLines(width, height, segments, count, color) {
    const { gl } = this;
    gl.useProgram(this.lines);
    gl.uniform2f(gl.getUniformLocation(this.lines, "screen"), width, height);
    gl.uniform4f(gl.getUniformLocation(this.lines, "color"), ...color);
    this.attribute(this.lines, "place", this.segments, 2, gl.FLOAT);
    gl.bufferData(gl.ARRAY_BUFFER, segments.subarray(0, count), gl.DYNAMIC_DRAW);
    gl.drawArrays(gl.LINES, 0, count / 2);
  }

  // Until everything is drawn: reading a pixel has to wait for it.
  wait() {
    const { gl } = this;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  attribute(owner, name, buffer, size, type) {
    const { gl } = this;
    const place = gl.getAttribLocation(owner, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, type === gl.UNSIGNED_BYTE, 0, 0);
  }
}

// What the reader has to know about the picture, in words.

const RIM_RADIUS = 36; // beyond it tanh(r / 2) is 1 in doubles

function notesFor(explorer) {
  const { data, fit } = explorer;
  const notes = [];
  const said = fit === null ? data.note : fit.note;
  if (said) notes.push(said);
  if (fit !== null && fit.texture !== null) {
    const { nRadius, nAngle, maxRadius } = fit.texture;
    notes.push(
      `Regions come from predictions at ${nRadius} radii × ${nAngle} angles about the ${data.centre}, up to ` +
        `distance ${(maxRadius * data.unit).toFixed(1)}.`,
    );
  }
  let far = 0;
  for (const r of (fit?.places ?? data.places).radius) if (r > RIM_RADIUS) far += 1;
  if (far > 0) {
    notes.push(
      `${far} ${far === 1 ? "point lies" : "points lie"} farther out than radius ${RIM_RADIUS} (at ` +
        "curvature −1) and always appear on the rim.",
    );
  }
  return notes;
}

// To study errors: what points are coloured by, which are chosen with the lasso, and these as CSV.

// All that the points can be coloured by: numbers have values, classes have codes, and predictions
// are those of the present fit.
function coloringsOf(data) {
  const own = { name: data.label_name, values: data.values, low: data.low, high: data.high };
  const list = [own];
  if (data.fits.length > 0) list.push({ name: "Predicted class", predicted: true });
  if (data.probabilities !== null) {
    const names = data.probability_names;
    const column = (pick) => Float64Array.from({ length: data.n }, (_, i) =>
      pick(data.probabilities.subarray(i * names.length, (i + 1) * names.length)));
    const scale = { low: 0, high: 1 };
    list.push({ name: "Probability of the prediction", values: column((row) => Math.max(...row)), ...scale });
    names.slice(0, 20).forEach((name, k) => {
      list.push({ name: `Probability of ${name}`, values: column((row) => row[k]), ...scale });
    });
  }
  return [...list, ...data.extra];
}

const isWrong = ({ data, fit }, i) =>
  data.labelled && fit !== null && fit.predicted[i] !== data.codes[i];

function countWhere(n, test) {
  let count = 0;
  for (let i = 0; i < n; i++) if (test(i)) count += 1;
  return count;
}

// The shown points inside a polygon of pixels x1, y1, x2, y2, …
function pointsInside(state, polygon) {
  const { data, pixels } = state;
  const inside = [];
  for (let i = 0; i < data.n; i++) {
    if (state.isShown(i) && encloses(polygon, pixels.x[i], pixels.y[i])) inside.push(i);
  }
  return inside;
}

// Whether a ray from the point crosses the polygon an odd number of times.
function encloses(polygon, x, y) {
  let odd = false;
  let [x1, y1] = polygon.slice(-2);
  for (let k = 0; k < polygon.length; k += 2) {
    const [x2, y2] = [polygon[k], polygon[k + 1]];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) odd = !odd;
    [x1, y1] = [x2, y2];
  }
  return odd;
}

const cell = (value) => {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// Points as a table with a line of names: row, name, class, prediction, coordinates and the rest.
function csvOf(state, rows) {
  const { data, fit } = state;
  const columns = [["row", (i) => i]];
  if (data.names !== null) columns.push(["name", (i) => nameOf(data, i)]);
  if (data.values !== null) columns.push([data.label_name, (i) => data.values[i]]);
  else if (data.labelled) columns.push([data.label_name, (i) => data.classes[data.codes[i]].name]);
  if (fit !== null) columns.push(["predicted", (i) => data.classes[fit.predicted[i]].name]);
  const width = data.columns.length;
  data.columns.forEach((name, k) => columns.push([name, (i) => data.X[i * width + k]]));
  for (const { name, values, codes, classes } of data.extra) {
    columns.push([name, (i) => (values === null ? classes[codes[i]].name : values[i])]);
  }
  if (data.probabilities !== null && fit?.given) {
    const names = data.probability_names;
    names.forEach((name, k) => {
      columns.push([`probability of ${name}`, (i) => data.probabilities[i * names.length + k]]);
    });
  }
  const lines = [columns.map(([name]) => cell(name))];
  for (const i of rows) lines.push(columns.map(([, value]) => cell(value(i))));
  return `${lines.map((line) => line.join(",")).join("\n")}\n`;
}

// The search box: a combobox with a list of names.

const MOST = 12;

// Rows whose name holds the text: those that begin with it first.
function findNames(data, text, most = MOST) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const first = [];
  const later = [];
  for (let i = 0; i < data.n; i++) {
    const at = nameOf(data, i).toLowerCase().indexOf(wanted);
    if (at === 0) first.push(i);
    else if (at > 0 && later.length < most) later.push(i);
    if (first.length >= most) break;
  }
  return [...first, ...later].slice(0, most);
}

function searchBox(explorer, say, choose) {
  const listId = uniqueId("found");
  const list = h("ul", { role: "listbox", id: listId, class: "hyx-found", "aria-label": "Found" });
  list.hidden = true;
  let found = [];
  let active = -1;
  const input = h("input", {
    type: "search",
    role: "combobox",
    class: "hyx-search",
    placeholder: explorer.data.names === null ? "Find a point by number" : "Find by name",
    "aria-label": "Find a point by name",
    "aria-expanded": "false",
    "aria-controls": listId,
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  });

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function pick(i) {
    input.value = nameOf(explorer.data, i);
    close();
    choose(i);
  }

  function mark(place) {
    active = place;
    [...list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === place)));
    const item = list.children[place];
    if (item) {
      input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    }
  }

  function show() {
    found = findNames(explorer.data, input.value);
    const items = found.map((i) => {
      const item = h("li", { role: "option", id: uniqueId("option"), "aria-selected": "false" },
        nameOf(explorer.data, i));
      // The box must not lose the focus before the click.
      item.addEventListener("pointerdown", (event) => event.preventDefault());
      item.addEventListener("click", () => pick(i));
      return item;
    });
    if (!items.length && input.value.trim() !== "") {
      items.push(h("li", { class: "hyx-none" }, "No point has this name"));
    }
    list.replaceChildren(...items);
    list.hidden = items.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (found.length) mark(0);
    if (input.value.trim() !== "") say(found.length ? `${found.length} found` : "nothing found");
  }

  input.addEventListener("input", show);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (found.length) mark((active + step + found.length) % found.length);
    } else if (event.key === "Enter" && found[active] !== undefined) {
      event.preventDefault();
      pick(found[active]);
    } else if (event.key === "Escape") close();
  });
  return { element: h("div", { class: "hyx-searchbox" }, input, list), input };
}

// Edges as geodesics, many at a time.

class Edges {
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
const piecesOf = ({ edges }) => (edges.length > 6000 ? 16 : 64);

// Many edges are drawn fainter.
function edgeAlpha({ edges }) {
  return Math.max(0.15, 0.85 / Math.sqrt(1 + (edges?.length ?? 0) / 6000));
}

// Decision regions as a small picture of the visible part of the model.

// Colours of the classes at the points under the pixels, one pixel in `step`. The sheet of the
// hyperboloid is shaded, so that one sees its shape.
function regionImage(lens, decide, colors, step) {
  const width = Math.ceil(lens.width / step);
  const height = Math.ceil(lens.height / step);
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const limit = drawnPart(lens);
  const colorAt = (column, row) => {
    const point = fromPixel(lens, column * step, row * step);
    if (point === null) return 0;
    const [x, y] = point;
    const size = x * x + y * y;
    if (size >= limit) return 0;
    const color = colors[decide(x, y)];
    return lens.sheet > 0 ? darkened(color, 1 - lens.sheet * shade(x, y, size)) : color;
  };
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      pixels[row * width + column] = colorAt(column + 0.5, row + 0.5);
    }
  }
  if (lens.sheet === 0) softenEdges(pixels, width, height, colorAt);
  return image;
}

// Where two regions meet, a pixel gets the mean colour of nine places in it.
function softenEdges(pixels, width, height, colorAt) {
  const hard = pixels.slice();
  for (let row = 1; row < height - 1; row++) {
    for (let column = 1; column < width - 1; column++) {
      const at = row * width + column;
      const own = hard[at];
      const same = hard[at - 1] === own && hard[at + 1] === own && hard[at - width] === own &&
        hard[at + width] === own;
      if (same || own === 0) continue;
      const sum = [0, 0, 0];
      let count = 0;
      for (let k = 0; k < 9; k++) {
        const color = colorAt(column + (k % 3) / 3 + 1 / 6, row + Math.floor(k / 3) / 3 + 1 / 6);
        if (color === 0) continue;
        sum.forEach((_, part) => { sum[part] += (color >>> (8 * part)) & 255; });
        count += 1;
      }
      const [red, green, blue] = sum.map((part) => Math.round(part / Math.max(count, 1)));
      if (count > 0) pixels[at] = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    }
  }
}

// How much darker a point of the sheet is, with light from above, the front and the left.
function shade(x, y, size) {
  const slope = Math.hypot(2 * x, 2 * y, 1 + size);
  const light = (0.5 * x + 0.7 * y + 0.9 * (1 + size)) / slope;
  return Math.max(0, 0.32 - 0.34 * Math.max(0, light));
}

function darkened(pixel, share) {
  const red = (pixel & 255) * share;
  const green = ((pixel >>> 8) & 255) * share;
  const blue = ((pixel >>> 16) & 255) * share;
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

// A colour #rrggbb mixed into a background, as one number of an ImageData.
function mixedPixel(color, background, share) {
  const parts = [1, 3, 5].map((i) => {
    const own = parseInt(color.slice(i, i + 2), 16);
    const other = parseInt(background.slice(i, i + 2), 16);
    return Math.round(own * share + other * (1 - share));
  });
  return ((255 << 24) | (parts[2] << 16) | (parts[1] << 8) | parts[0]) >>> 0;
}

// Mouse, touch, wheel and keyboard on the stage.

const CLICK = 4; // pixels that a click may wander
const STEP = 60; // pixels of an arrow key
const KEY_TURN = Math.PI / 12;

function connectInput(explorer, actions) {
  const { stage } = explorer;
  const pointers = new Map();
  let drag = null;

  const pixel = (event) => {
    const box = stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function begin(event) {
    const at = pixel(event);
    explorer.held = true;
    if (explorer.lasso !== null) {
      explorer.lasso = [...at];
      drag = { lasso: true, moved: true };
      return;
    }
    const outside = fromPixel(explorer.lens(), ...at) === null;
    const turning = event.shiftKey || event.button === 2 || outside;
    drag = { start: explorer.g, from: at, last: at, turning, moved: false };
  }

  function turnTo(at) {
    if (explorer.model === "hyperboloid") {
      explorer.turn((at[0] - drag.last[0]) * 0.01);
      explorer.tiltBy((at[1] - drag.last[1]) * 0.15);
      return;
    }
    const { x, y } = explorer.lens();
    const angle = ([px, py]) => Math.atan2(y - py, px - x);
    explorer.turn(angle(at) - angle(drag.last));
  }

  function pinch(event) {
    const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId);
    const [, other] = others[0];
    const before = pointers.get(event.pointerId);
    const after = pixel(event);
    const span = ([px, py]) => Math.hypot(px - other[0], py - other[1]);
    const angle = ([px, py]) => Math.atan2(other[1] - py, px - other[0]);
    explorer.zoomAt(...other, span(after) / Math.max(span(before), 1));
    explorer.turn(angle(after) - angle(before));
  }

  stage.addEventListener("pointerdown", (event) => {
    if (event.button === 1) return;
    explorer.finish?.();
    stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, pixel(event));
    if (pointers.size === 1) begin(event);
    else if (drag) drag.moved = true;
    explorer.hover(-1);
  });

  stage.addEventListener("pointermove", (event) => {
    const at = pixel(event);
    if (!drag) {
      if (event.pointerType !== "touch") actions.hover(explorer.nearest(...at), at);
      return;
    }
    if (drag.lasso) {
      explorer.lasso?.push(...at);
      explorer.changed();
    } else if (pointers.size > 1) {
      pinch(event);
    } else {
      if (Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]) > CLICK) drag.moved = true;
      if (drag.moved && drag.turning) turnTo(at);
      else if (drag.moved && !explorer.drag(drag.start, drag.from, at)) actions.tooFar();
    }
    drag.last = at;
    pointers.set(event.pointerId, at);
  });

  const end = (event) => {
    if (!pointers.delete(event.pointerId) || !drag) return;
    if (pointers.size > 0 && !drag.lasso) {
      // One finger of two is left: it goes on from where it is.
      const [[, at]] = pointers.entries();
      Object.assign(drag, { start: explorer.g, from: at, last: at, moved: true, turning: false });
      return;
    }
    const clicked = !drag.moved && event.type === "pointerup";
    const lassoed = drag.lasso && explorer.lasso !== null;
    drag = null;
    explorer.held = false;
    if (lassoed) actions.lasso();
    else if (clicked) actions.click(explorer.nearest(...pixel(event), 14));
    else explorer.changed("end");
  };
  stage.addEventListener("pointerup", end);
  stage.addEventListener("pointercancel", end);
  stage.addEventListener("pointerleave", () => actions.hover(-1, null));
  stage.addEventListener("contextmenu", (event) => event.preventDefault());
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 30 : 1;
    explorer.zoomAt(...pixel(event), Math.exp(-0.0015 * unit * event.deltaY));
  }, { passive: false });
  stage.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (onKey(explorer, actions, event.key, event.shiftKey)) event.preventDefault();
  });
}

const ARROWS = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

// What a key does; whether it did anything.
function onKey(explorer, actions, key, shift) {
  if (key in ARROWS) {
    if (shift && (key === "ArrowLeft" || key === "ArrowRight")) {
      turnBy(explorer, key === "ArrowLeft" ? KEY_TURN : -KEY_TURN);
    } else if (shift) explorer.tiltBy(key === "ArrowUp" ? 4 : -4);
    else nudge(explorer, actions, ...ARROWS[key]);
    return true;
  }
  const model = MODELS[Number(key) - 1];
  if (model !== undefined) {
    explorer.setModel(model);
    return true;
  }
  const { width, height } = explorer.picture;
  const todo = {
    "+": () => explorer.zoomAt(width / 2, height / 2, 1.25),
    "=": () => explorer.zoomAt(width / 2, height / 2, 1.25),
    "-": () => explorer.zoomAt(width / 2, height / 2, 0.8),
    "0": () => explorer.reset(),
    Home: () => explorer.reset(),
    q: () => turnBy(explorer, KEY_TURN),
    e: () => turnBy(explorer, -KEY_TURN),
    n: () => actions.step(1),
    p: () => actions.step(-1),
    Enter: () => explorer.selected >= 0 && actions.centre(explorer.selected),
    l: () => explorer.setLasso(explorer.lasso === null),
    Escape: () => (explorer.lasso === null ? actions.click(-1) : explorer.setLasso(false)),
    "/": () => actions.search(),
  }[key];
  todo?.();
  return todo !== undefined;
}

function turnBy(explorer, angle) {
  explorer.finish?.();
  explorer.travel(compose(rotation(angle), explorer.g), 160);
}

// Move the picture some pixels at the centre of the view, in any model.
function nudge(explorer, actions, dx, dy) {
  explorer.finish?.();
  const lens = explorer.lens();
  const from = toPixel(lens, 0, 0, 1);
  const p = fromPixel(lens, ...from, true);
  const q = fromPixel(lens, from[0] + dx, from[1] + dy, true);
  if (!explorer.travel(compose(translationTaking(p, q), explorer.g), 160)) actions.tooFar();
}

// The next point in the order of the rows that is not hidden.
function nextShown(explorer, from, step) {
  const { n } = explorer.data;
  let i = from < 0 ? (step > 0 ? -1 : 0) : from;
  for (let tries = 0; tries < n; tries++) {
    i = (i + step + n) % n;
    if (explorer.isShown(i)) return i;
  }
  return -1;
}

// Hyperplanes under the isometry of the view, their curves, distances and decisions.
//
// A hyperplane w = s (sinh a, cosh a · u) of the plane ends in the ideal points at the angles
// phi ± psi, phi that of u and psi = 2 atan(exp(-a)). Moving the two angles is accurate however far
// the view has travelled.

// The planes of a fit as they cut the plane of the picture, before the isometry.
const tracesOf = (fit) => Array.from({ length: fit.nPlanes }, (_, k) => traceOf(fit, k));

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
function movedTrace(trace, g) {
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
function hypercycle({ phi, psi }, distance) {
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
const marginDistance = ({ logScale }) => Math.asinh(Math.exp(-logScale));

// Signed distance at curvature -1 of a point (radius, unit direction) of any dimension.
function signedDistance(fit, k, radius, direction) {
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
function decisionIn(fit, traces, g, back) {
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

// What is known of one point: as rows, as a card, as a sentence.

const MOST_COLUMNS = 8;

function distancesOf(state, i) {
  const { data, fit } = state;
  if (fit === null || fit.nPlanes === 0) return [];
  const direction = data.direction.subarray(i * data.dim, (i + 1) * data.dim);
  return fit.plane_names.map((name, k) => ({
    name,
    value: data.unit * signedDistance(fit, k, data.radius[i], direction),
  }));
}

const WHY = {
  calibrated: "Log-odds are compared, not distances: calibration gives each hyperplane a slope and a " +
    "shift of its own, and a class can win with a negative distance.",
  argmax: "Scores are compared, not distances: a score is the scale of its hyperplane times sinh of the " +
    "distance, and a class can win with a negative distance.",
  votes: "Each hyperplane decides between two classes; its distance says nothing about the others.",
  sign: "Calibration may shift the change of sign away from the hyperplane, so that a point close to it " +
    "is predicted against the sign of its distance.",
};

// The scores that decide, in words and numbers; null where the page does not know the rule.
function scoresOf(state, i) {
  const { data, fit } = state;
  if (fit === null || fit.rule === "none" || fit.nPlanes === 0) return null;
  const direction = data.direction.subarray(i * data.dim, (i + 1) * data.dim);
  const scores = fit.plane_names.map((_, k) => {
    const distance = signedDistance(fit, k, data.radius[i], direction);
    const finite = Number.isFinite(fit.offset[k]);
    const score = finite ? Math.exp(fit.logScale[k]) * Math.sinh(distance)
      : Math.sign(distance) * Math.cosh(data.radius[i]);
    return fit.slope === null ? score : fit.slope[k] * Math.asinh(score) + fit.intercept[k];
  });
  const kind = fit.slope === null ? "Score" : "Log-odds";
  const named = (names, values) => names.map((name, k) => ({ name, value: values[k] }));
  const classes = data.classes.map(({ name }) => name);
  if (fit.rule === "argmax") {
    const list = named(classes.slice(0, scores.length), scores);
    const why = fit.slope === null ? WHY.argmax : WHY.calibrated;
    return { title: `${kind}: the largest decides`, list, why };
  }
  if (fit.rule === "votes") {
    const votes = new Array(classes.length).fill(0);
    fit.pairs.forEach(([a, b], k) => {
      votes[scores[k] > 0 ? b : a] += 1;
    });
    return { title: "Votes of the pairs: the most decide", list: named(classes, votes), why: WHY.votes };
  }
  const why = fit.slope === null ? null : WHY.sign;
  return { title: `${kind}: its sign decides`, list: named(fit.plane_names, scores), why };
}

function probabilitiesOf(state, i) {
  const { data, fit } = state;
  if (data.probabilities === null || fit === null || !fit.given) return [];
  const columns = data.probability_names;
  return columns.map((name, k) => ({
    name,
    code: k,
    value: data.probabilities[i * columns.length + k],
  }));
}

// Everything said of a point, for the card and for tests.
function factsOf(state, i) {
  const { data, fit } = state;
  const columns = data.columns.length;
  const labelled = data.labelled ? data.classes[data.codes[i]].name : null;
  const predicted = fit !== null && fit.predicted !== null ? fit.predicted[i] : null;
  return {
    index: i,
    name: nameOf(data, i),
    label: data.values === null ? labelled : number(data.values[i], 6),
    predicted: predicted === null ? null : data.classes[predicted].name,
    coordinates: data.columns.map((name, k) => ({ name, value: data.X[i * columns + k] })),
    radius: data.radius[i] * data.unit,
    probabilities: probabilitiesOf(state, i),
    distances: distancesOf(state, i),
    scores: scoresOf(state, i),
    extra: data.extra.map(({ name, values, codes, classes }) => (
      { name, value: values === null ? classes[codes[i]].name : number(values[i], 6) })),
  };
}

function swatch(state, code) {
  const { color, marker } = state.data.classes[code];
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-7 -7 14 14");
  svg.setAttribute("class", "hyx-swatch");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", markerData(marker, 6));
  path.setAttribute("fill", classColor(color, state.theme));
  svg.append(path);
  return svg;
}

function row(name, ...values) {
  return h("div", { class: "hyx-row" }, h("dt", {}, name), h("dd", {}, ...values));
}

function bar(share, color) {
  const fill = h("span", { class: "hyx-fill" });
  fill.style.width = `${(100 * share).toFixed(1)}%`;
  fill.style.background = color;
  return h("span", { class: "hyx-bar", "aria-hidden": "true" }, fill);
}

// The card of a point; `most` limits the long lists.
function card(state, i, most) {
  const { data, theme } = state;
  const facts = factsOf(state, i);
  const list = h("dl", { class: "hyx-facts" });
  if (facts.label !== null) {
    const mark = data.values === null ? swatch(state, data.codes[i]) : null;
    list.append(row(data.label_name, mark, facts.label));
  }
  if (facts.predicted !== null) {
    const wrong = data.labelled && facts.predicted !== facts.label;
    const note = wrong ? h("span", { class: "hyx-wrong" }, " differs") : null;
    list.append(row("Predicted", swatch(state, state.fit.predicted[i]), facts.predicted, note));
  }
  const shown = facts.coordinates.slice(0, Math.min(most, MOST_COLUMNS));
  const rest = facts.coordinates.length - shown.length;
  const text = shown.map(({ value }) => number(value, 6)).join(", ");
  const names = data.columns.length <= MOST_COLUMNS ? ` (${data.columns.join(", ")})` : "";
  const chart = `${data.coordinates}${names}`;
  list.append(row(`Coordinates, ${chart}`, text + (rest > 0 ? `, … ${rest} more` : "")));
  list.append(row("Distance to the origin", number(facts.radius)));
  for (const { name, value } of facts.extra) list.append(row(name, value));
  const card_ = h("div", { class: "hyx-card" }, h("h3", {}, facts.name), list);
  if (facts.probabilities.length) card_.append(probabilityList(facts, data, theme, most));
  if (facts.scores !== null) card_.append(scoreList(facts.scores, most));
  if (facts.distances.length) card_.append(distanceList(facts, most));
  return card_;
}

function probabilityList({ probabilities }, data, theme, most) {
  const ranked = [...probabilities].sort((a, b) => b.value - a.value).slice(0, most);
  const list = h("dl", { class: "hyx-facts hyx-bars" });
  for (const { name, code, value } of ranked) {
    const color = classColor(data.classes[code]?.color ?? "#888888", theme);
    list.append(row(name, bar(value, color), value.toFixed(3)));
  }
  return section("Probability", list, probabilities.length - ranked.length);
}

function scoreList({ title, list, why }, most) {
  const ranked = [...list].sort((a, b) => b.value - a.value).slice(0, most);
  const rows = h("dl", { class: "hyx-facts" });
  for (const { name, value } of ranked) rows.append(row(name, signed(value)));
  const found = section(title, rows, list.length - ranked.length);
  if (why !== null && most > 5) found.append(h("p", { class: "hyx-rest" }, why));
  return found;
}

function distanceList({ distances }, most) {
  const ranked = distances.length <= most
    ? distances
    : [...distances].sort((a, b) => Math.abs(a.value) - Math.abs(b.value)).slice(0, most);
  const list = h("dl", { class: "hyx-facts" });
  for (const { name, value } of ranked) list.append(row(name, signed(value)));
  return section("Signed distance to hyperplane", list, distances.length - ranked.length);
}

function section(title, list, hidden) {
  const rest = hidden > 0 ? h("p", { class: "hyx-rest" }, `and ${hidden} more`) : null;
  return h("section", {}, ...[h("h4", {}, title), list, rest].filter((part) => part !== null));
}

// One sentence for the screen reader.
function sentence(state, i) {
  const facts = factsOf(state, i);
  const parts = [facts.name];
  if (facts.label !== null) parts.push(`${state.data.label_name} ${facts.label}`);
  if (facts.predicted !== null) parts.push(`predicted ${facts.predicted}`);
  parts.push(`distance to the origin ${number(facts.radius, 3)}`);
  if (facts.distances.length === 1) {
    parts.push(`signed distance to the hyperplane ${number(facts.distances[0].value, 3)}`);
  }
  return `${parts.join(", ")}.`;
}

// Curves of the picture in pixels: the rim, the grid, edges, hyperplanes and margins. Canvas and SVG
// draw the same ones.

const LONGEST = 9; // pixels of a straight piece
const DEEPEST = 7; // halvings of a piece

// A curve t -> (x, y, q) of the disk as runs of pixels, in pieces short enough to look smooth. A run
// ends where the curve leaves the neighbourhood of the screen.
function project(lens, { point, from, to, pieces }) {
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
function gridCurves(g, maxRadius) {
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
function sheetCurves(height) {
  const curves = [];
  const most = Math.acosh(height);
  for (let i = 1; i <= 6; i++) curves.push(circle(0, 0, Math.tanh((most * i) / 12)));
  for (let ray = 0; ray < 24; ray++) curves.push(meridian((Math.PI * ray) / 12, most));
  return curves;
}

// The boundary of the model in pixels: the ideal circle, or the line below the half-plane.
function rimPath(lens) {
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

function planeCurves(lens, traces, g, options) {
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

// The controls beside the picture.

const LONG = 20; // rows of a list in the card

function group(title, ...content) {
  const id = uniqueId("group");
  return h("section", { class: "hyx-group", "aria-labelledby": id }, h("h2", { id }, title), ...content);
}

function pointGroup(explorer) {
  const place = h("div", { class: "hyx-chosen" });
  const section = group("Point", place);
  const hint = matchMedia("(any-hover: none)").matches
    ? "Tap a point to centre it and to read it."
    : "Click a point to centre it; hover to read it. Keys n and p step through the points.";
  let written = null;
  const update = () => {
    const { selected, fitIndex, theme } = explorer;
    const now = `${selected} ${fitIndex} ${theme.dark}`;
    if (now === written) return;
    written = now;
    const content = selected < 0 ? h("p", { class: "hyx-hint" }, hint) : card(explorer, selected, LONG);
    place.replaceChildren(content);
  };
  update();
  return { section, update };
}

function countClasses({ codes, classes }) {
  const counts = new Array(classes.length).fill(0);
  for (const code of codes) counts[code] += 1;
  return counts;
}

function classGroup(explorer) {
  const { data } = explorer;
  const nothing = () => {};
  if (data.values !== null || !data.labelled) return { section: null, update: nothing };
  const counts = countClasses(data);
  const rows = data.classes.map(({ name }, code) => {
    const box = h("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => explorer.setClass(code, box.checked));
    const mark = h("span", { class: "hyx-mark" }, swatch(explorer, code));
    const count = h("span", { class: "hyx-count" }, counts[code].toLocaleString("en"));
    return { box, mark, label: h("label", { class: "hyx-check" }, box, mark, name, count) };
  });
  const all = h("button", { type: "button", class: "hyx-small" }, "All");
  const none = h("button", { type: "button", class: "hyx-small" }, "None");
  all.addEventListener("click", () => rows.forEach((_, code) => explorer.setClass(code, true)));
  none.addEventListener("click", () => rows.forEach((_, code) => explorer.setClass(code, false)));
  const list = h("div", { class: "hyx-checks" }, ...rows.map(({ label }) => label));
  const section = group(data.label_name, list, h("div", { class: "hyx-buttons" }, all, none));
  const update = (what) => {
    rows.forEach(({ box }, code) => {
      box.checked = explorer.shownClass[code] === 1;
    });
    if (what === "theme") rows.forEach(({ mark }, code) => mark.replaceChildren(swatch(explorer, code)));
  };
  return { section, update };
}

// What the points are coloured by, with its scale or the names of its classes.
function colorGroup(explorer) {
  const { colorings, data } = explorer;
  if (colorings.length < 2 && data.values === null) return { section: null, update: () => {} };
  const key = h("div", {});
  const update = () => key.replaceChildren(...colorKey(explorer));
  update();
  if (colorings.length < 2) return { section: group(data.label_name, key), update };
  const select = h("select", {});
  colorings.forEach(({ name }, k) => select.append(h("option", { value: k }, name)));
  select.addEventListener("change", () => explorer.setColoring(Number(select.value)));
  const field = h("label", { class: "hyx-field" }, "Colour by", select);
  return { section: group("Colours", field, key), update };
}

function colorKey({ coloring, theme }) {
  if (coloring.values) {
    const strip = h("div", { class: "hyx-ramp", "aria-hidden": "true" });
    const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => rampColor(share));
    strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    return [strip, h("div", { class: "hyx-ends" },
      h("span", {}, number(coloring.low)), h("span", {}, number(coloring.high)))];
  }
  return (coloring.classes ?? []).map(({ name, color }) => {
    const dot = h("span", { class: "hyx-dot", "aria-hidden": "true" });
    dot.style.background = classColor(color, theme);
    return h("div", { class: "hyx-key" }, dot, name);
  });
}

// Points chosen with the lasso.
function selectionGroup(explorer, onCSV) {
  const said = h("p", { class: "hyx-said" });
  const save = h("button", { type: "button", class: "hyx-button" }, "Save CSV");
  const clear = h("button", { type: "button", class: "hyx-button" }, "Clear");
  const buttons = h("div", { class: "hyx-buttons" }, save, clear);
  save.addEventListener("click", onCSV);
  clear.addEventListener("click", () => explorer.pick([]));
  const update = () => {
    const { picked, lasso } = explorer;
    buttons.hidden = picked.length === 0;
    said.textContent = lasso !== null ? "Draw around points." : picked.length > 0
      ? `${picked.length.toLocaleString("en")} points selected`
      : "Press the lasso button ◌, or l, and draw around points.";
  };
  update();
  return { section: group("Selection", said, buttons), update };
}

function fitGroup(explorer) {
  const { data } = explorer;
  if (!data.fits.length) return { section: null, update: () => {} };
  const parts = [];
  const said = h("p", { class: "hyx-said" });
  let slider = null;
  if (data.fits.length > 1) {
    slider = h("input", {
      type: "range", min: 0, max: data.fits.length - 1, step: 1, value: explorer.fitIndex,
      "aria-label": "Weight C of the losses",
    });
    slider.addEventListener("input", () => explorer.setFit(Number(slider.value)));
    parts.push(slider);
  }
  parts.push(said);
  const select = planeSelect(explorer);
  if (select !== null) parts.push(select);
  const wrong = counted("Only misclassified points", (on) => explorer.setOnlyWrong(on));
  const held = counted("Ring the support of the fit", (on) => explorer.setShow("support", on));
  parts.push(wrong.element, held.element);
  const update = () => {
    const fit = data.fits[explorer.fitIndex];
    const state = { data, fit };
    wrong.show(data.labelled ? countWhere(data.n, (i) => isWrong(state, i)) : null);
    held.show(fit.support === null ? null : countWhere(data.n, (i) => fit.support[i] === 1));
    said.replaceChildren(h("strong", {}, fit.name));
    if (fit.accuracy !== null) said.append(` · ${(100 * fit.accuracy).toFixed(1)} % of these points right`);
    if (slider === null) return;
    slider.value = explorer.fitIndex;
    slider.setAttribute("aria-valuetext", fit.name);
  };
  update();
  return { section: group(slider === null ? "Classifier" : "Classifier over C", ...parts), update };
}

// A box to tick with the number of points it is about; null hides it.
function counted(words, act) {
  const box = h("input", { type: "checkbox" });
  box.addEventListener("change", () => act(box.checked));
  const number_ = h("span", { class: "hyx-count" });
  const element = h("label", { class: "hyx-check" }, box, words, number_);
  const show = (count) => {
    element.hidden = count === null;
    number_.textContent = count?.toLocaleString("en") ?? "";
  };
  return { element, show };
}

function planeSelect(explorer) {
  const { data } = explorer;
  const names = data.fits[explorer.fitIndex].plane_names;
  if (names.length < 2) return null;
  const select = h("select", {});
  select.append(h("option", { value: "" }, "All hyperplanes alike"));
  names.forEach((name, k) => select.append(h("option", { value: k }, name)));
  select.addEventListener("change", () => {
    explorer.setPlane(select.value === "" ? null : Number(select.value));
  });
  return h("label", { class: "hyx-field" }, "Emphasise", select);
}

function showGroup(explorer) {
  const { data } = explorer;
  const planes = data.fits.some((fit) => fit.nPlanes > 0);
  const choices = [
    ["regions", "Decision regions", data.fits.some((fit) => fit.texture || fit.rule !== "none")],
    ["planes", "Hyperplanes", planes],
    ["margins", "Margins (score ±1)", planes],
    ["edges", "Edges", data.edges !== null],
    ["names", "Names", data.names !== null],
    ["grid", `Grid about the ${data.centre}`, true],
  ].filter(([, , there]) => there);
  const boxes = choices.map(([name, words]) => {
    const box = h("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => explorer.setShow(name, box.checked));
    return h("label", { class: "hyx-check" }, box, words);
  });
  return group("Show", h("div", { class: "hyx-checks" }, ...boxes));
}

const KEYS = [
  ["Drag, arrows", "move: the point under the pointer stays under it"],
  ["Wheel, pinch, + −", "zoom"],
  ["Shift-drag, q e", "turn; in the hyperboloid also tilt"],
  ["1 2 3 4", "disk, Klein, half-plane, hyperboloid"],
  ["n p, Enter", "next or previous point, centre it"],
  ["l, Escape", "draw a lasso around points, or give it up"],
  ["/", "search"],
  ["0", "back to the start"],
];

function helpGroup(id) {
  const rows = KEYS.flatMap(([keys, words]) => [h("dt", {}, keys), h("dd", {}, words)]);
  return h("details", { class: "hyx-group hyx-help" }, h("summary", {}, "Keys and gestures"),
    h("dl", { class: "hyx-keys", id }, ...rows));
}

function exportGroup(onSVG, onPNG) {
  const svg = h("button", { type: "button", class: "hyx-button" }, "Save SVG");
  const png = h("button", { type: "button", class: "hyx-button" }, "Save PNG");
  svg.addEventListener("click", onSVG);
  png.addEventListener("click", onPNG);
  return group("This view", h("div", { class: "hyx-buttons" }, svg, png));
}

// What lies below and above the points, on any 2-D canvas context.

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
function paintGround(context, lens, state, regions) {
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
function planeStyle(line, state) {
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

function paintPlanes(context, lens, state) {
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

function pointColor(state, i) {
  const { data, theme, coloring, fit } = state;
  if (coloring.values) {
    return rampColor((coloring.values[i] - coloring.low) / (coloring.high - coloring.low || 1));
  }
  const codes = coloring.predicted ? fit.predicted : coloring.codes ?? data.codes;
  return classColor((coloring.classes ?? data.classes)[codes[i]].color, theme);
}

// Points with their shapes; slow beyond some ten thousand, see paintPixels.
function paintPoints(context, lens, state) {
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
function paintPixels(context, lens, state, packed, ratio, image = null) {
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

const onScreen = (lens, x, y) => x > -20 && y > -20 && x < lens.width + 20 && y < lens.height + 20;

function paintEdges(context, segments, count, color) {
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
function chooseLabels(lens, state, measure) {
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

function paintLabels(context, lens, state) {
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
function ringsOf(state) {
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

function paintSets(context, lens, state) {
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

function paintLasso(context, { lasso, theme }) {
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
function paintRings(context, state) {
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
function legendRows(lens, { data, shownClass, coloring }) {
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

function paintLegend(context, lens, state) {
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

// The present view as an SVG or PNG file.

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

function exportSVG(explorer) {
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
function exportCanvas(explorer) {
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

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A title as the beginning of a file name.
function fileName(title, extension) {
  const word = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
  return `${word || "explorer"}.${extension}`;
}

// The three layers of the picture, and the drawing of one frame of an explorer's state.

const CROWD = 20000; // points beyond which each is a plain small square
const SHAPED = 4000; // points that a canvas draws with their shapes
const MANY = SHAPED; // points from which it is worth to ask whether WebGL is fast
const SLOW = 20; // milliseconds of a frame
const COARSE = 100000; // scores that the regions may cost while things move
const FINE = 5000000; // and at rest

class Picture {
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

// What scripts may ask an explorer and let it do. The tests use it.

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

function makeInterface(explorer) {
  const at = (i) => [explorer.moved.x[i], explorer.moved.y[i], explorer.moved.q[i]];
  return {
    explorer,
    state: () => ({
      isometry: [...explorer.g],
      model: explorer.model,
      view: { ...explorer.view },
      fit: explorer.fitIndex,
      plane: explorer.chosen,
      hovered: explorer.hovered,
      selected: explorer.selected,
      picked: [...explorer.picked],
      shown: Array.from({ length: explorer.data.n }, (_, i) => i).filter((i) => explorer.isShown(i)),
      shownClasses: [...explorer.shownClass].map((shown) => shown === 1),
      renderer: explorer.picture.renderer,
      frames: explorer.frames,
      busy: Boolean(explorer.step || explorer.pending),
    }),
    position(i) {
      const lens = explorer.place();
      return {
        disk: at(i).slice(0, 2),
        model: place(lens, ...at(i)),
        pixel: [explorer.pixels.x[i], explorer.pixels.y[i]],
      };
    },
    positions() {
      explorer.place();
      return [...explorer.moved.x].map((x, i) => [x, explorer.moved.y[i]]);
    },
    facts: (i) => factsOf(explorer, i),
    fromPixel: (x, y) => fromPixel(explorer.lens(), x, y),
    toPixel: (x, y) => toPixel(explorer.lens(), x, y, 1 - x * x - y * y),
    // Numbers of the classes at points of the view's disk.
    decide(points) {
      const decide = decisionIn(explorer.fit, explorer.traces, explorer.g, inverse(explorer.g));
      return points.map(([x, y]) => decide(x, y));
    },
    // The drawn hyperplanes and margins, as pixels.
    lines: () => planeCurves(explorer.lens(), explorer.traces, explorer.g, explorer.planeOptions),
    setModel: (model, duration) => explorer.setModel(model, duration),
    csv: () => csvOf(explorer, explorer.picked),
    exportSVG: () => exportSVG(explorer),
    exportPNG: () => exportCanvas(explorer).toDataURL("image/png"),
    // Resolves when nothing moves any more and the picture is drawn in full.
    async settled() {
      await frame();
      while (explorer.step || explorer.pending) await frame();
      await new Promise((resolve) => setTimeout(resolve, 200));
      while (explorer.step || explorer.pending) await frame();
    },
    benchmark: (count) => benchmark(explorer, count),
  };
}

// Drag in a circle for some frames and say how long they took, in milliseconds.
async function benchmark(explorer, count) {
  const { width, height } = explorer.picture;
  const start = explorer.g;
  const from = [width / 2, height / 2];
  const size = Math.min(width, height) / 4;
  const times = [];
  const costs = [];
  explorer.held = true;
  for (let k = 0; k <= count; k++) {
    times.push(await frame());
    const angle = (4 * Math.PI * k) / count;
    const to = [from[0] + size * Math.sin(angle), from[1] + size * (1 - Math.cos(angle)) / 2];
    explorer.drag(start, from, to);
    const before = performance.now();
    explorer.draw(true);
    costs.push(performance.now() - before);
    cancelAnimationFrame(explorer.pending);
    explorer.pending = null;
  }
  explorer.held = false;
  explorer.moveTo(start);
  const steps = times.slice(1).map((time, k) => time - times[k]).sort((a, b) => a - b);
  costs.sort((a, b) => a - b);
  return {
    frames: count,
    fps: (1000 * count) / (times[count] - times[0]),
    median: steps[count >> 1],
    slowest: steps[count - 1],
    script: costs[count >> 1],
  };
}

// The state of an explorer, and everything that changes it.

const IDLE = 140; // milliseconds without a change after which the picture is drawn in full
const RIM = 1 - 1e-13;

class Explorer {
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

// Put an explorer into an element: the picture, its controls, and a small interface for scripts.

const TIP_ROWS = 5;
const THEMES = ["auto", "light", "dark"];

function createExplorer(root, payload, options = {}) {
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

// The page of its own: read the data that lies beside this script.

function showPage() {
  const payload = JSON.parse(document.getElementById("hyplane-data").textContent);
  // "?renderer=canvas" and "?renderer=webgl" override what the page would choose.
  const renderer = new URLSearchParams(location.search).get("renderer");
  window.hyplane = createExplorer(document.getElementById("hyplane"), payload, { renderer });
}

// The notebook widget, for anywidget.

function render({ model, el }) {
  const root = document.createElement("div");
  root.classList.add("hyx-widget");
  root.style.height = `${model.get("height")}px`;
  el.append(root);
  const made = createExplorer(root, model.get("payload"));
  // The chosen point goes both ways.
  made.explorer.on((what) => {
    if (what !== "select" || model.get("selected") === made.explorer.selected) return;
    model.set("selected", made.explorer.selected);
    model.save_changes();
  });
  model.on("change:selected", () => {
    const i = model.get("selected");
    if (i === made.explorer.selected) return;
    made.explorer.select(i);
    if (i >= 0) made.explorer.centre(i);
  });
  return () => made.destroy();
}

export default { render };
