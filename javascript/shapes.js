// The shapes of the classes, as outlines in units of half a point's width.

export const SVG = "http://www.w3.org/2000/svg";
export const MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"];

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

export function markerPath(path, marker, x, y, half) {
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
export function markerData(marker, half) {
  const outline = OUTLINES[marker];
  if (outline === undefined) {
    const r = 0.94 * half;
    return `M${r} 0A${r} ${r} 0 1 1 ${-r} 0A${r} ${r} 0 1 1 ${r} 0Z`;
  }
  const corners = outline.map(([x, y]) => `${(x * half).toFixed(2)} ${(y * half).toFixed(2)}`);
  return `M${corners.join("L")}Z`;
}
