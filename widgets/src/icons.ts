// Icons as inline SVG: the characters for them are missing in many fonts.
import { svg } from "./dom";

const PATHS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M10.5 3v10L4.5 8z",
  play: "M4 2.5l9 5.5-9 5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5.5 3v10l6-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  list: "M2 3h2v2H2zM6 3h8v2H6zM2 7h2v2H2zM6 7h8v2H6zM2 11h2v2H2zM6 11h8v2H6z",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", class: "te-icon", "aria-hidden": "true" },
    svg("path", { d: PATHS[name] }),
  );
}

export function setIcon(button: Element, name: IconName): void {
  const path = button.querySelector("path");
  if (path && path.getAttribute("d") !== PATHS[name]) path.setAttribute("d", PATHS[name]);
}
