// The picture: built once from a scene, then brought to any state.
import { attr, svg, text } from "./dom";
import { DASHES, Run, type EdgeParts } from "./pulse";
import type { Scene, SceneEdge, SceneNode } from "./scene";
import type { State } from "./timeline";

/** The part of a transition in which the pulse travels; the rest fades texts in. */
const TRAVEL = 0.72;

let pictures = 0;

interface NodeParts {
  group: SVGGElement;
  value: SVGTextElement;
  grad: SVGTextElement;
  node: SceneNode;
}

export class Picture {
  readonly root: SVGSVGElement;
  private readonly nodes = new Map<string, NodeParts>();
  private readonly edges = new Map<string, EdgeParts>();
  private readonly pulses = svg("g", { class: "te-pulses" });
  private readonly none: string;

  constructor(scene: Scene) {
    this.none = scene.ui.none;
    const mark = `te-arrow-${(pictures += 1)}`;
    const edges = scene.edges.map((edge) => this.drawEdge(edge, mark));
    const labels = [...this.edges.values()].map(({ label }) => label);
    const nodes = scene.nodes.map((node, i) => this.drawNode(node, i === 0));
    this.root = svg(
      "svg",
      {
        class: "te-picture",
        viewBox: `0 0 ${scene.width} ${scene.height}`,
        role: "group",
        "aria-label": scene.alt || scene.title,
      },
      svg("defs", {}, ...["idle", "done", "back"].map((kind) => arrowHead(mark, kind))),
      svg("g", {}, ...edges),
      this.pulses,
      svg("g", {}, ...nodes),
      svg("g", {}, ...labels),
    );
    this.root.style.maxWidth = `${scene.width}px`;
    this.root.style.minWidth = `${Math.round(0.6 * scene.width)}px`;
  }

  /** Bring everything to a state, at once. */
  show(state: State): void {
    for (const [id, { group, value, grad, node }] of this.nodes) {
      const v = state.value.get(id) ?? "";
      const g = state.grad.get(id) ?? "";
      group.classList.toggle("te-lit", state.lit.has(id));
      text(value, v);
      text(grad, g);
      grad.classList.toggle("te-none", g === this.none);
      // what is seen comes first and as it is, so that voice control can name it
      const seen = [node.label, v, node.note, g].filter(Boolean).join(" ");
      attr(group, "aria-label", [seen, node.title].filter(Boolean).join("; "));
    }
    for (const [id, { group, done, back, label }] of this.edges) {
      const said = state.edge.get(id);
      group.classList.toggle("te-done", state.done.has(id));
      group.classList.toggle("te-back", state.back.has(id));
      group.classList.toggle("te-now", state.flow.has(id));
      attr(done, "stroke-dasharray", null);
      attr(back, "stroke-dasharray", DASHES);
      text(label, said?.text ?? "");
      attr(label, "data-phase", said?.phase ?? null);
    }
  }

  select(id: string): void {
    for (const [key, { group }] of this.nodes) {
      attr(group, "aria-pressed", String(key === id));
    }
  }

  /**
   * Draw the way from one state to the next, its edges in waves: a function of 0..1,
   * and its end.
   */
  passage(
    before: State,
    after: State,
    waves: string[][],
  ): { draw: (t: number) => void; done: () => void } {
    const backward = after.phase === "backward";
    const travel = waves.length ? TRAVEL : 0;
    const runs = waves.flatMap((ids, wave) =>
      ids.flatMap((id) => {
        const parts = this.edges.get(id);
        return parts ? [new Run(parts, backward, wave)] : [];
      }),
    );
    const fresh = this.arrivals(before, after);
    let arrived = false;
    this.show(before);
    this.pulses.replaceChildren();

    const land = (): void => {
      for (const run of runs) run.land();
      this.show(after);
    };
    const draw = (t: number): void => {
      if (t < travel) {
        for (const run of runs) run.draw((t / travel) * waves.length - run.wave, this.pulses);
        return;
      }
      if (!arrived) land();
      arrived = true;
      const opacity = String((t - travel) / (1 - travel));
      for (const element of fresh) element.style.opacity = opacity;
    };
    const done = (): void => {
      for (const element of fresh) element.style.opacity = "";
      land();
    };
    return { draw, done };
  }

  /** The texts that are new in a state. */
  private arrivals(before: State, after: State): SVGTextElement[] {
    const fresh: SVGTextElement[] = [];
    for (const [id, { value, grad }] of this.nodes) {
      if (before.value.get(id) !== after.value.get(id)) fresh.push(value);
      if (before.grad.get(id) !== after.grad.get(id)) fresh.push(grad);
    }
    for (const [id, { label }] of this.edges) {
      if (before.edge.get(id)?.text !== after.edge.get(id)?.text) fresh.push(label);
    }
    return fresh;
  }

  private drawNode(node: SceneNode, first: boolean): SVGGElement {
    const { x, y, r } = node;
    const label = svg("text", { class: "te-label", x, y, dy: ".35em" }, node.label);
    label.style.setProperty("--te-fit", `${fit(node.label, 2 * r - 6).toFixed(1)}px`);
    const value = svg("text", { class: "te-value", x, y: y - r - 8 });
    const below = y + r + 4;
    const note = svg("text", { class: "te-note", x, y: below, dy: "1em" }, node.note);
    const grad = svg("text", { class: "te-grad", x, y: below, dy: node.note ? "2.2em" : "1.1em" });
    const group = svg(
      "g",
      {
        class: `te-node te-${node.kind} te-${node.role}`,
        "data-id": node.id,
        role: "button",
        tabindex: first ? 0 : -1,
        "aria-pressed": "false",
      },
      svg("title", {}, node.title),
      svg("circle", { class: "te-ring", cx: x, cy: y, r: r + 5 }),
      svg("circle", { class: "te-shape", cx: x, cy: y, r }),
      label,
      // spaces, as separate texts without them are read as one word
      " ",
      value,
      " ",
      note,
      " ",
      grad,
    );
    this.nodes.set(node.id, { group, value, grad, node });
    return group;
  }

  private drawEdge(edge: SceneEdge, mark: string): SVGGElement {
    const line = (kind: string, d: string): SVGPathElement =>
      svg("path", { class: `te-line te-line-${kind}`, d, "marker-end": `url(#${mark}-${kind})` });
    const done = line("done", edge.path);
    const back = line("back", edge.back);
    const { x, y, anchor } = edge.label;
    const label = svg("text", { class: "te-edge-label", x, y, "text-anchor": anchor });
    const group = svg(
      "g",
      { class: "te-edge", "data-id": edge.id },
      line("idle", edge.path),
      done,
      back,
    );
    this.edges.set(edge.id, { group, done, back, label });
    return group;
  }
}

/** The font size at which a label fits into a width, by a cautious guess of its own. */
export function fit(label: string, width: number): number {
  let ems = 0;
  for (const character of label) ems += (character.codePointAt(0) ?? 0) > 0x2e7f ? 1 : 0.62;
  return Math.max(8, width / Math.max(ems, 0.62));
}

function arrowHead(mark: string, kind: string): SVGMarkerElement {
  return svg(
    "marker",
    {
      id: `${mark}-${kind}`,
      class: `te-head te-head-${kind}`,
      viewBox: "0 0 8 8",
      refX: 7.5,
      refY: 4,
      markerWidth: 9,
      markerHeight: 9,
      markerUnits: "userSpaceOnUse",
      orient: "auto",
    },
    svg("path", { d: "M0 .5L8 4L0 7.5L1.6 4z" }),
  );
}
