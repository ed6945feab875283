// "Steps as text": every frame as a line, the current one marked. One tab stop;
// up and down move in the list, enter or a click goes to the step.
import { attr, html } from "./dom";
import type { Scene } from "./scene";

export class Steps {
  readonly root: HTMLOListElement;
  private rows: HTMLButtonElement[] = [];
  private current = 0;

  constructor(
    private readonly scene: Scene,
    private readonly go: (step: number) => void,
    id: string,
  ) {
    this.root = html("ol", { class: "te-steps", id, start: 0, "aria-label": scene.ui.table });
    this.root.hidden = true;
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  get open(): boolean {
    return !this.root.hidden;
  }

  toggle(): void {
    this.root.hidden = this.open;
    if (this.open && !this.rows.length) this.fill();
    this.show(this.current);
  }

  show(step: number): void {
    this.current = step;
    if (!this.open) return;
    this.rows.forEach((row, k) => {
      attr(row, "tabindex", k === step ? "0" : "-1");
      attr(row, "aria-current", k === step ? "step" : null);
    });
    const row = this.rows[step];
    if (row) this.reveal(row);
  }

  /** Scroll the list, never the page around it. */
  private reveal(row: HTMLElement): void {
    const top = row.offsetTop - this.root.offsetTop;
    const bottom = top + row.offsetHeight;
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.root.scrollTop = bottom - clientHeight;
  }

  private fill(): void {
    this.rows = this.scene.frames.map((frame, k) => {
      const row = html(
        "button",
        { type: "button", class: "te-row", "data-phase": frame.phase },
        html("span", { class: "te-number" }, String(k)),
        html("span", { class: "te-row-sentence" }, frame.sentence),
        ...(frame.rule_text ? [html("span", { class: "te-row-rule" }, frame.rule_text)] : []),
      );
      row.addEventListener("click", () => this.go(k));
      return row;
    });
    this.root.append(...this.rows.map((row) => html("li", {}, row)));
  }

  private key(event: KeyboardEvent): void {
    const move = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.rows.indexOf(event.target as HTMLButtonElement);
    event.preventDefault();
    event.stopPropagation();
    const next = this.rows[at + move];
    if (!next) return;
    next.focus({ preventScroll: true });
    this.reveal(next);
  }
}
