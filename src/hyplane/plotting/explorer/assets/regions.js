// Decision regions as a small picture of the visible part of the model.

import { fromPixel } from "./models.js";

// Colours of the classes at the points under the pixels, one pixel in `step`. The sheet of the
// hyperboloid is shaded, so that one sees its shape.
export function regionImage(lens, decide, colors, step) {
  const width = Math.ceil(lens.width / step);
  const height = Math.ceil(lens.height / step);
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const shaded = lens.model === "hyperboloid";
  const limit = shaded ? 1 - 2 / (1 + lens.sheetHeight) : 1;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const point = fromPixel(lens, (column + 0.5) * step, (row + 0.5) * step);
      if (point === null) continue;
      const [x, y] = point;
      const size = x * x + y * y;
      if (size >= limit) continue;
      const color = colors[decide(x, y)];
      pixels[row * width + column] = shaded ? darkened(color, brightness(x, y, size)) : color;
    }
  }
  return image;
}

// How much light a point of the sheet gets from above, the front and the left.
function brightness(x, y, size) {
  const slope = Math.hypot(2 * x, 2 * y, 1 + size);
  const light = (0.5 * x + 0.7 * y + 0.9 * (1 + size)) / slope;
  return Math.min(1, 0.68 + 0.34 * Math.max(0, light));
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
