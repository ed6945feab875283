// One view: wires a model to the picture, the words and the controls.
import { Clock } from "./clock";
import { Controls, type Actions } from "./controls";
import { html } from "./dom";
import { Picture } from "./draw";
import { header } from "./header";
import { listen } from "./keys";
import { Narration } from "./narration";
import { reachNodes } from "./nodes";
import { keepFocus } from "./pointer";
import { complete, type Model, type Scene } from "./scene";
import { Steps } from "./steps";
import * as timeline from "./timeline";
import { prefersStepping, Tween } from "./tween";
import { Writer } from "./writer";

let players = 0;

export class Player {
  root!: HTMLElement;
  private scene!: Scene;
  private last = 0;
  private shown = -1;
  private picture!: Picture;
  private stage!: HTMLElement;
  private lit: ReadonlySet<string> = new Set();
  private narration!: Narration;
  private controls!: Controls;
  private steps!: Steps;
  private frame = 0;
  private readonly sizes = new ResizeObserver(() => this.resize());
  private readonly tween = new Tween();
  private readonly writer: Writer;
  private readonly clock: Clock;
  private readonly heard: [string, () => void][];

  constructor(
    private readonly model: Model,
    private readonly host: HTMLElement,
  ) {
    this.writer = new Writer(model);
    this.clock = new Clock(
      () => this.writer.now(timeline.advance(this.step, this.last)),
      () => model.get("speed"),
    );
    this.build();
    this.heard = [
      ["change:scene", () => this.rebuild()],
      ["change:step", () => this.stepChanged()],
      ["change:playing", () => this.playingChanged()],
      ["change:speed", () => this.speedChanged()],
      ["change:selected", () => this.selectedChanged()],
      ["change:lang", () => this.rebuild()],
    ];
    for (const [event, listener] of this.heard) model.on(event, listener);
    this.playingChanged();
  }

  dispose(): void {
    for (const [event, listener] of this.heard) this.model.off(event, listener);
    this.clock.stop();
    this.tween.cancel();
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.writer.flush();
    this.root.remove();
  }

  /** The step the learner has asked for, even if it is not drawn yet. */
  private get step(): number {
    return timeline.clampStep(this.writer.get("step"), this.last);
  }

  private readonly actions: Actions = {
    go: (step) => this.moveTo(step),
    move: (by) => this.moveTo(this.step + by),
    toggle: () => {
      if (this.last > 0) this.writer.now({ playing: !this.writer.get("playing") });
    },
    speed: (speed) => this.writer.now({ speed }),
    table: () => {
      this.steps.toggle();
      return this.steps.open;
    },
  };

  private moveTo(step: number): void {
    if (this.writer.get("playing")) this.writer.now({ playing: false });
    this.writer.later({ step: timeline.clampStep(step, this.last) });
  }

  private choose(id: string): void {
    if (this.writer.get("selected") === id) {
      this.writer.later({ selected: "" });
      return;
    }
    const step = timeline.firstLit(this.scene, id);
    if (step >= 0) this.moveTo(step);
    this.writer.later({ selected: id });
  }

  private build(): void {
    const scene = complete(this.model.get("scene"));
    const steps = `te-steps-${(players += 1)}`;
    this.scene = scene;
    this.last = timeline.lastStep(scene);
    this.shown = -1;
    this.picture = new Picture(scene);
    this.narration = new Narration(scene);
    this.steps = new Steps(scene, this.actions.go, steps);
    this.controls = new Controls(scene, this.actions, steps);
    const stage = html("div", { class: "te-stage" }, this.picture.root);
    this.stage = stage;
    stage.style.setProperty("--te-strip", `${-strip(scene)}px`);
    this.root = html(
      "div",
      { class: "te-player", role: "group", tabindex: 0, "aria-label": scene.title || "GraphPlayer" },
      header(scene),
      stage,
      this.narration.root,
      this.controls.root,
      this.steps.root,
    );
    this.root.lang = this.model.get("lang") || "en";
    this.root.style.maxWidth = `${Math.max(scene.width, 640) + 2}px`;
    reachNodes(stage, (id) => this.choose(id));
    listen(this.root, this.actions, this.last);
    keepFocus(this.root);
    this.host.append(this.root);
    this.sizes.observe(stage);
    this.controls.showPlaying(this.model.get("playing"));
    this.speedChanged();
    this.selectedChanged();
    this.draw();
  }

  private rebuild(): void {
    const old = this.root;
    const focused = old.contains(document.activeElement);
    const open = this.steps.open;
    this.tween.cancel();
    this.sizes.disconnect();
    this.build();
    old.replaceWith(this.root);
    if (open) this.controls.root.querySelector<HTMLElement>("[aria-controls]")?.click();
    if (focused) this.root.focus({ preventScroll: true });
  }

  private stepChanged(): void {
    this.writer.changed("step");
    this.clock.restart();
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  private playingChanged(): void {
    this.writer.changed("playing");
    const playing = this.model.get("playing");
    this.controls.showPlaying(playing);
    if (!playing) {
      this.clock.stop();
      // pausing stops at once; the last transition of a play to the end may finish
      if (this.step < this.last) this.tween.end();
      return;
    }
    if (this.last === 0) {
      this.writer.now({ playing: false });
      return;
    }
    this.writer.now({ step: timeline.playFrom(this.step, this.last) });
    this.clock.start();
  }

  private speedChanged(): void {
    this.controls.showSpeed(this.model.get("speed"));
    this.clock.retime();
  }

  private selectedChanged(): void {
    this.writer.changed("selected");
    this.picture.select(this.model.get("selected"));
  }

  private draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const step = timeline.clampStep(this.model.get("step"), this.last);
    if (step === this.shown) return;
    const next = this.shown >= 0 && step === this.shown + 1;
    const after = timeline.stateAt(this.scene, step);
    this.tween.end();
    this.shown = step;
    this.root.dataset["phase"] = after.phase;
    this.root.dataset["step"] = String(step);
    this.narration.show(step);
    this.controls.showStep(step);
    this.steps.show(step);
    this.lit = after.lit;
    this.follow(!prefersStepping());
    if (!next || prefersStepping()) {
      this.picture.show(after);
      return;
    }
    const before = timeline.stateBefore(this.scene, step);
    const waves = timeline.waves(this.scene, after.flow, after.phase === "backward");
    const { draw, done } = this.picture.passage(before, after, waves);
    this.tween.run(timeline.transition(this.model.get("speed")), draw, done);
  }

  /** Where the picture scrolls, keep what is lit in view. */
  private follow(smooth: boolean): void {
    const { stage, lit } = this;
    if (stage.scrollWidth <= stage.clientWidth) return;
    const scale = this.picture.root.getBoundingClientRect().width / this.scene.width;
    const places = this.scene.nodes.filter(({ id }) => lit.has(id)).map(({ x }) => x * scale);
    const left = timeline.scrollFor(places, stage.scrollLeft, stage.clientWidth, 70 * scale);
    if (left === stage.scrollLeft) return;
    stage.scrollTo({ left, behavior: smooth ? "smooth" : "instant" });
  }

  /** Letters shrink less than the picture does, so that they stay readable. */
  private resize(): void {
    const width = this.picture.root.getBoundingClientRect().width || this.scene.width;
    const scale = Math.min(1, width / this.scene.width);
    const larger = Math.min(1.3, Math.max(1, 0.86 / scale));
    this.picture.root.style.setProperty("--te-larger", larger.toFixed(3));
    this.follow(false);
  }
}

/** How far the picture may move up under the header: what is empty above its nodes. */
function strip(scene: Scene): number {
  const top = Math.min(...scene.nodes.map(({ y, r }) => y - r - 26), 40);
  return Math.round(Math.min(16, Math.max(0, 0.6 * top)));
}
