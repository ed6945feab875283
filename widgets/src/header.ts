// Title and legend. Outside the picture, so that they keep their size when it shrinks.
import { html, svg } from "./dom";
import type { Scene } from "./scene";

export function header(scene: Scene): HTMLElement {
  const { data, op, forward, backward } = scene.ui.legend;
  return html(
    "div",
    { class: "te-header" },
    html("span", { class: "te-title" }, scene.title),
    html(
      "span",
      { class: "te-legend" },
      entry(svg("circle", { class: "te-key-data", cx: 6, cy: 6, r: 4.5 }), 12, data),
      entry(svg("circle", { class: "te-key-op", cx: 6, cy: 6, r: 4.5 }), 12, op),
      entry(svg("path", { class: "te-key-forward", d: "M0 6H22" }), 22, forward),
      entry(svg("path", { class: "te-key-backward", d: "M0 6H22" }), 22, backward),
    ),
  );
}

function entry(shape: SVGElement, width: number, name: string): HTMLElement {
  const sample = svg(
    "svg",
    { viewBox: `0 0 ${width} 12`, width, height: 12, "aria-hidden": "true" },
    shape,
  );
  return html("span", { class: "te-entry" }, sample, name);
}
