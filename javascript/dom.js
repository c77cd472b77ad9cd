// Elements by a function call. Strings become text, never markup.

let made = 0;

export const uniqueId = (name) => `hyx-${name}-${(made += 1)}`;

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export const number = (value, digits = 4) => {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const text = Number(value.toPrecision(digits)).toString();
  return text.replace("-", "−");
};

export const signed = (value) => (value > 0 ? `+${number(value)}` : number(value));
