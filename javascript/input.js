// Mouse, touch, wheel and keyboard on the stage.

import { compose, rotation, translationTaking } from "./mobius.js";
import { MODELS, fromPixel, toPixel } from "./models.js";

const CLICK = 4; // pixels that a click may wander
const STEP = 60; // pixels of an arrow key
const KEY_TURN = Math.PI / 12;

export function connectInput(explorer, actions) {
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

export function turnBy(explorer, angle) {
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
export function nextShown(explorer, from, step) {
  const { n } = explorer.data;
  let i = from < 0 ? (step > 0 ? -1 : 0) : from;
  for (let tries = 0; tries < n; tries++) {
    i = (i + step + n) % n;
    if (explorer.isShown(i)) return i;
  }
  return -1;
}
