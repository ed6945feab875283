// The beat of playback in one view.
//
// Each view of a model has its own clock, and none is the leader: any change of
// the step, whoever made it, restarts the wait of all of them. The clock that is
// due first advances the model, which puts off the others; so the model moves
// once per beat however many views there are, and goes on when a view is closed.
import { interval } from "./timeline";

/** The first beat after pressing play comes sooner, so that the press is felt. */
const FIRST = 0.35;

export class Clock {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private since = 0;
  private share = 1;

  constructor(
    private readonly beat: () => void,
    private readonly speed: () => number,
  ) {}

  get running(): boolean {
    return this.timer !== undefined;
  }

  start(): void {
    this.wait(FIRST);
  }

  /** The step changed: wait a whole beat from now. */
  restart(): void {
    if (this.running) this.wait(1);
  }

  /** The speed changed: keep the time already waited. */
  retime(): void {
    if (!this.running) return;
    clearTimeout(this.timer);
    const due = this.since + this.share * interval(this.speed());
    this.timer = setTimeout(() => this.ring(), Math.max(0, due - performance.now()));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private wait(share: number): void {
    clearTimeout(this.timer);
    this.since = performance.now();
    this.share = share;
    this.timer = setTimeout(() => this.ring(), share * interval(this.speed()));
  }

  private ring(): void {
    this.wait(1);
    this.beat();
  }
}
