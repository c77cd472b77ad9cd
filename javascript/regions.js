// Decision regions as a small picture of the visible part of the model.

import { drawnPart, fromPixel } from "./models.js";

// Colours of the classes at the points under the pixels, one pixel in `step`. The sheet of the
// hyperboloid is shaded, so that one sees its shape.
export function regionImage(lens, decide, colors, step) {
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
export function mixedPixel(color, background, share) {
  const parts = [1, 3, 5].map((i) => {
    const own = parseInt(color.slice(i, i + 2), 16);
    const other = parseInt(background.slice(i, i + 2), 16);
    return Math.round(own * share + other * (1 - share));
  });
  return ((255 << 24) | (parts[2] << 16) | (parts[1] << 8) | parts[0]) >>> 0;
}
