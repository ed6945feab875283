// The toolbar: five buttons, the track with its marks, speed, and steps as text.
import { attr, html } from "./dom";
import { icon, setIcon, type IconName } from "./icons";
import { fill, type Scene } from "./scene";
import { clampSpeed, lastStep, phaseRuns } from "./timeline";

/** Above this many steps the gaps between marks would leave no marks. */
const MOST_TICKS = 80;
const SPEEDS = [0.5, 1, 2, 4];

export interface Actions {
  go(step: number): void;
  move(by: number): void;
  toggle(): void;
  speed(value: number): void;
  table(): boolean;
}

export class Controls {
  readonly root: HTMLElement;
  private readonly last: number;
  private readonly buttons: Record<"first" | "back" | "play" | "forward" | "last", HTMLButtonElement>;
  private readonly track = html("div", { class: "te-track", dir: "ltr" });
  private readonly range: HTMLInputElement;
  private readonly pace: HTMLSelectElement;

  constructor(
    private readonly scene: Scene,
    actions: Actions,
    steps: string,
  ) {
    const { ui } = scene;
    this.last = lastStep(scene);
    this.buttons = {
      first: button("first", ui.first, () => actions.go(0)),
      back: button("back", ui.back, () => actions.move(-1)),
      play: button("play", ui.play, () => actions.toggle()),
      forward: button("forward", ui.forward, () => actions.move(1)),
      last: button("last", ui.last, () => actions.go(this.last)),
    };
    this.buttons.play.classList.add("te-main");
    const all = Object.values(this.buttons);
    const toolbar = html("div", { class: "te-buttons", role: "toolbar" }, ...all);
    rove(toolbar, all);

    this.range = html("input", { type: "range", min: 0, max: this.last, step: 1, class: "te-range" });
    this.range.disabled = this.last === 0;
    this.range.addEventListener("input", () => actions.go(this.range.valueAsNumber));
    this.drawTrack();

    this.pace = html("select", { class: "te-chip te-speed", "aria-label": ui.speed, title: ui.speed });
    this.pace.append(...SPEEDS.map(pace));
    this.pace.addEventListener("change", () => actions.speed(Number(this.pace.value)));

    const table = html(
      "button",
      { type: "button", class: "te-chip", "aria-expanded": "false", "aria-controls": steps },
      icon("list"),
      ui.table,
    );
    table.addEventListener("click", () => attr(table, "aria-expanded", String(actions.table())));
    this.root = html(
      "div",
      { class: "te-bar" },
      toolbar,
      this.track,
      html("div", { class: "te-chips" }, this.pace, table),
    );
  }

  showStep(step: number): void {
    const { ui, frames } = this.scene;
    const phase = frames[step]?.phase ?? "start";
    const { first, back, forward, last } = this.buttons;
    for (const b of [first, back]) attr(b, "aria-disabled", String(step === 0));
    for (const b of [forward, last]) attr(b, "aria-disabled", String(step === this.last));
    if (this.range.valueAsNumber !== step) this.range.value = String(step);
    attr(this.range, "aria-label", fill(ui.scrub, step, this.last));
    const where = phase === "forward" || phase === "backward" ? `, ${ui.legend[phase]}` : "";
    attr(this.range, "aria-valuetext", `${step} / ${this.last}${where}`);
    this.track.style.setProperty("--te-at", String(this.last ? step / this.last : 0));
  }

  showPlaying(playing: boolean): void {
    const { play } = this.buttons;
    const name = playing ? this.scene.ui.pause : this.scene.ui.play;
    attr(play, "aria-label", name);
    attr(play, "title", name);
    attr(play, "aria-disabled", String(this.last === 0));
    setIcon(play, playing ? "pause" : "play");
  }

  showSpeed(speed: number): void {
    const value = String(clampSpeed(speed));
    if (![...this.pace.options].some((option) => option.value === value)) {
      this.pace.append(pace(Number(value)));
    }
    this.pace.value = value;
  }

  private drawTrack(): void {
    const { last } = this;
    const stops = phaseRuns(this.scene).map(({ phase, from, to }) => {
      const percent = (k: number): string => `${((100 * k) / last).toFixed(3)}%`;
      return `var(--te-track-${phase}) ${percent(from)} ${percent(to)}`;
    });
    if (stops.length) {
      this.track.style.setProperty("--te-marks", `linear-gradient(90deg,${stops.join()})`);
    }
    const ticks = html("i", { class: "te-ticks" });
    if (last > MOST_TICKS || last === 0) ticks.hidden = true;
    else ticks.style.setProperty("--te-tick", `${100 / last}%`);
    this.track.append(html("i", { class: "te-todo" }), html("i", { class: "te-past" }), ticks);
    this.track.append(this.range);
  }
}

function pace(speed: number): HTMLOptionElement {
  return html("option", { value: speed }, `${speed}×`);
}

function button(name: IconName, label: string, act: () => void): HTMLButtonElement {
  const it = html(
    "button",
    { type: "button", class: "te-button", "aria-label": label, title: label, tabindex: -1 },
    icon(name),
  );
  it.addEventListener("click", () => {
    if (it.getAttribute("aria-disabled") !== "true") act();
  });
  return it;
}

/** One tab stop for the buttons; left and right move among them. */
function rove(toolbar: HTMLElement, buttons: HTMLButtonElement[]): void {
  const stop = (to: HTMLElement): void => {
    for (const b of buttons) b.tabIndex = b === to ? 0 : -1;
  };
  const play = buttons[Math.floor(buttons.length / 2)];
  if (play) stop(play);
  toolbar.addEventListener("focusin", (event) => stop(event.target as HTMLElement));
  toolbar.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    buttons[(at + move + buttons.length) % buttons.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  });
}
