// Isometries of the Poincaré disk: z -> (a z + b) / (conj(b) z + conj(a)), |a|² - |b|² = 1.
// One is written [re a, im a, re b, im b]. Entries grow as exp(r / 2) with the distance r that the
// origin moves, so doubles stay useful to about r = 30; the 3 x 3 Lorentz matrices lose twice the
// digits.

export const FARTHEST = 30;

export const identity = () => [1, 0, 0, 0];

export function compose(g, h) {
  const [ar, ai, br, bi] = g;
  const [cr, ci, dr, di] = h;
  return normalised([
    ar * cr - ai * ci + br * dr + bi * di,
    ar * ci + ai * cr - br * di + bi * dr,
    ar * dr - ai * di + br * cr + bi * ci,
    ar * di + ai * dr - br * ci + bi * cr,
  ]);
}

export const inverse = ([ar, ai, br, bi]) => [ar, -ai, -br, -bi];

// The modulus of a follows from b without cancellation.
function normalised([ar, ai, br, bi]) {
  const scale = Math.hypot(1, br, bi) / Math.hypot(ar, ai);
  return [ar * scale, ai * scale, br, bi];
}

export function apply([ar, ai, br, bi], x, y) {
  const nr = ar * x - ai * y + br;
  const ni = ar * y + ai * x + bi;
  const dr = br * x + bi * y + ar;
  const di = br * y - bi * x - ai;
  const size = dr * dr + di * di;
  return [(nr * dr + ni * di) / size, (ni * dr - nr * di) / size];
}

// The translation along a line through the origin that takes the origin to (x, y).
export function translation(x, y) {
  const scale = 1 / Math.sqrt(1 - x * x - y * y);
  return [scale, 0, x * scale, y * scale];
}

// The translation along the geodesic from p to q that takes p to q.
export function translationTaking([px, py], [qx, qy]) {
  const there = translation(px, py);
  const back = inverse(there);
  const [x, y] = apply(back, qx, qy);
  return compose(compose(there, translation(x, y)), back);
}

export const rotation = (angle) => [Math.cos(angle / 2), Math.sin(angle / 2), 0, 0];

// How far the origin is moved.
export const reach = ([, , br, bi]) => 2 * Math.asinh(Math.hypot(br, bi));

// A share t of the way to the origin's image, for animations: the polar decomposition
// g = translation · rotation, each shortened.
export function between(g, h, t) {
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
export function applyToAngle(g, angle) {
  const [x, y] = apply(g, Math.cos(angle), Math.sin(angle));
  return Math.atan2(y, x);
}

// The same isometry on (x0, x1, x2) of Minkowski space.
export function applyToVector([ar, ai, br, bi], [t, x, y]) {
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
