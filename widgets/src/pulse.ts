// A pulse on its way along one edge, which draws the edge behind it.
import { attr, svg } from "./dom";
import { ease } from "./tween";

const DASH = 5;
const GAP = 4;
export const DASHES = `${DASH} ${GAP}`;

export interface EdgeParts {
  group: SVGGElement;
  done: SVGPathElement;
  back: SVGPathElement;
  label: SVGTextElement;
}

export class Run {
  private readonly path: SVGPathElement;
  private readonly length: number;
  private readonly dot = svg("circle", { class: "te-pulse", r: 5 });

  constructor(
    private readonly parts: EdgeParts,
    private readonly backward: boolean,
    readonly wave: number,
  ) {
    this.path = backward ? parts.back : parts.done;
    this.length = this.path.getTotalLength();
  }

  /** Bring the pulse to a part of its way; before 0 it has not left, from 1 it is there. */
  draw(t: number, pulses: SVGGElement): void {
    if (t < 0) return;
    if (t >= 1) {
      this.land();
      return;
    }
    const at = this.length * ease(t);
    const { x, y } = this.path.getPointAtLength(at);
    attr(this.dot, "cx", x.toFixed(1));
    attr(this.dot, "cy", y.toFixed(1));
    if (!this.dot.parentNode) pulses.append(this.dot);
    const trail = this.backward ? dashes(at, this.length) : `${at} ${this.length}`;
    attr(this.path, "stroke-dasharray", trail);
    this.parts.group.classList.add(this.backward ? "te-back" : "te-done", "te-moving");
  }

  /** The pulse is gone and the edge is whole. */
  land(): void {
    this.dot.remove();
    this.parts.group.classList.add(this.backward ? "te-back" : "te-done");
    this.parts.group.classList.remove("te-moving");
    attr(this.path, "stroke-dasharray", this.backward ? DASHES : null);
  }
}

/** Dashes over the first part of a line, nothing over the rest. */
export function dashes(shown: number, length: number): string {
  const whole = Math.floor(shown / (DASH + GAP));
  const rest = Math.min(DASH, shown - whole * (DASH + GAP));
  return `${`${DASHES} `.repeat(whole)}${rest.toFixed(1)} ${length + DASH}`;
}
