// Colours of the theme, of the classes in it, and of numbers.

const NAMES = ["paper", "disk", "ink", "quiet", "rim", "grid", "edge", "accent"];

export function themeOf(root) {
  const style = getComputedStyle(root);
  const theme = {};
  for (const name of NAMES) theme[name] = style.getPropertyValue(`--hyx-${name}`).trim();
  theme.dark = luminance(theme.paper) < 0.4;
  return theme;
}

export const channels = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));

const hex = (parts) =>
  `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

export const mixed = (color, other, share) => {
  const own = channels(color);
  return hex(channels(other).map((part, i) => own[i] * (1 - share) + part * share));
};

function luminance(color) {
  const [r, g, b] = channels(color);
  return (0.299 * r + 0.587 * g + 0.114 * b) / 255;
}

// A class's colour, made lighter where it would vanish on a dark ground.
export function classColor(color, theme) {
  const light = luminance(color);
  if (!theme.dark || light >= 0.36) return color;
  return mixed(color, "#ffffff", (0.36 - light) / (1 - light) + 0.1);
}

// A line that stands out from the points of its class.
export const lineColor = (color, theme) =>
  theme.dark ? mixed(color, "#ffffff", 0.25) : mixed(color, "#000000", 0.3);

// Dark blue over green to yellow: rising lightness, told apart without red and green.
const RAMP = ["#2b2f77", "#2c6c9c", "#2fa08a", "#8ac34a", "#f4e04d"];

export function rampColor(share) {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const i = Math.min(Math.floor(at), RAMP.length - 2);
  return mixed(RAMP[i], RAMP[i + 1], at - i);
}
