// The four models, how a point of the disk is placed in each, and the way back from the screen.
//
// A place has three coordinates; only the hyperboloid uses the third. Between two models the place
// is H_s(z) + k (Klein(z) - z) + h (hyperboloid(z) - z), where H_s turns the Riemann sphere from the
// disk (s = 0) to the half-plane (s = 1). From the disk to the hyperboloid a point moves along the
// ray of the stereographic projection.

export const MODELS = ["ball", "klein", "halfplane", "hyperboloid"];

export const MODEL_NAMES = {
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
export const MAX_TILT = 43;

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
export function makeLens(from, to, t, view, width, height) {
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
export function place(lens, x, y, q) {
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

export function toPixel(lens, x, y, q) {
  const [px, py, pz] = place(lens, x, y, q);
  return [
    lens.x + lens.scale * px,
    lens.y - lens.scale * (py * lens.cos + pz * lens.sin),
  ];
}

// Many points at once: disk coordinates (x, y, q) to pixels, in doubles.
export function placeAll(lens, view, pixels, n = view.x.length) {
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
export function fromPixel(lens, px, py, nearest = false) {
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
export const drawnPart = (lens) => 1 - (2 * lens.sheet) / (1 + lens.sheetHeight);

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
