// What scripts may ask an explorer and let it do. The tests use it.

import { csvOf } from "./analysis.js";
import { factsOf } from "./details.js";
import { exportCanvas, exportSVG } from "./export.js";
import { inverse } from "./mobius.js";
import { fromPixel, place, toPixel } from "./models.js";
import { decisionIn } from "./planes.js";
import { planeCurves } from "./scene.js";

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

export function makeInterface(explorer) {
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
