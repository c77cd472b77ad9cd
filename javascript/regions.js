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
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const point = fromPixel(lens, (column + 0.5) * step, (row + 0.5) * step);
      if (point === null) continue;
      const [x, y] = point;
      const size = x * x + y * y;
      if (size >= limit) continue;
      const color = colors[decide(x, y)];
      const light = lens.sheet > 0 ? 1 - lens.sheet * shade(x, y, size) : 1;
      pixels[row * width + column] = lens.sheet > 0 ? darkened(color, light) : color;
    }
  }
  return image;
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
