// The page of its own: read the data that lies beside this script.

import { createExplorer } from "./main.js";

export function showPage() {
  const payload = JSON.parse(document.getElementById("hyplane-data").textContent);
  // "?renderer=canvas" and "?renderer=webgl" override what the page would choose.
  const renderer = new URLSearchParams(location.search).get("renderer");
  window.hyplane = createExplorer(document.getElementById("hyplane"), payload, { renderer });
}
