// The notebook widget, for anywidget.

import { createExplorer } from "./main.js";

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
