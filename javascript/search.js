// The search box: a combobox with a list of names.

import { nameOf } from "./data.js";
import { h, uniqueId } from "./dom.js";

const MOST = 12;

// Rows whose name holds the text: those that begin with it first.
function findNames(data, text, most = MOST) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const first = [];
  const later = [];
  for (let i = 0; i < data.n; i++) {
    const at = nameOf(data, i).toLowerCase().indexOf(wanted);
    if (at === 0) first.push(i);
    else if (at > 0 && later.length < most) later.push(i);
    if (first.length >= most) break;
  }
  return [...first, ...later].slice(0, most);
}

export function searchBox(explorer, say, choose) {
  const listId = uniqueId("found");
  const list = h("ul", { role: "listbox", id: listId, class: "hyx-found", "aria-label": "Found" });
  list.hidden = true;
  let found = [];
  let active = -1;
  const input = h("input", {
    type: "search",
    role: "combobox",
    class: "hyx-search",
    placeholder: explorer.data.names === null ? "Find a point by number" : "Find by name",
    "aria-label": "Find a point by name",
    "aria-expanded": "false",
    "aria-controls": listId,
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  });

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function pick(i) {
    input.value = nameOf(explorer.data, i);
    close();
    choose(i);
  }

  function mark(place) {
    active = place;
    [...list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === place)));
    const item = list.children[place];
    if (item) {
      input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    }
  }

  function show() {
    found = findNames(explorer.data, input.value);
    const items = found.map((i) => {
      const item = h("li", { role: "option", id: uniqueId("option"), "aria-selected": "false" },
        nameOf(explorer.data, i));
      // The box must not lose the focus before the click.
      item.addEventListener("pointerdown", (event) => event.preventDefault());
      item.addEventListener("click", () => pick(i));
      return item;
    });
    if (!items.length && input.value.trim() !== "") {
      items.push(h("li", { class: "hyx-none" }, "No point has this name"));
    }
    list.replaceChildren(...items);
    list.hidden = items.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (found.length) mark(0);
    if (input.value.trim() !== "") say(found.length ? `${found.length} found` : "nothing found");
  }

  input.addEventListener("input", show);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (found.length) mark((active + step + found.length) % found.length);
    } else if (event.key === "Enter" && found[active] !== undefined) {
      event.preventDefault();
      pick(found[active]);
    } else if (event.key === "Escape") close();
  });
  return { element: h("div", { class: "hyx-searchbox" }, input, list), input };
}
