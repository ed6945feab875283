// One animation at a time, on animation frames.

export function prefersStepping(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Slow at both ends, so that a pulse is seen to leave and to arrive. */
export function ease(t: number): number {
  return t * t * (3 - 2 * t);
}

export class Tween {
  private frame = 0;
  private finish: (() => void) | undefined;

  get running(): boolean {
    return this.finish !== undefined;
  }

  /** Call draw with 0..1 over the duration, then done once. */
  run(duration: number, draw: (t: number) => void, done: () => void): void {
    this.end();
    const from = performance.now();
    this.finish = done;
    const next = (): void => {
      const t = (performance.now() - from) / duration;
      if (t >= 1) {
        this.end();
        return;
      }
      draw(Math.max(0, t));
      this.frame = requestAnimationFrame(next);
    };
    next();
  }

  /** Jump to the end. */
  end(): void {
    cancelAnimationFrame(this.frame);
    const finish = this.finish;
    this.finish = undefined;
    finish?.();
  }

  /** Stop without the end. */
  cancel(): void {
    cancelAnimationFrame(this.frame);
    this.finish = undefined;
  }
}
