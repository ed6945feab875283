// Writes to the model, coalesced: of many values set within one animation frame
// only the last is sent, so a fast scrub never queues stale steps.
import type { Model, Traits, Written } from "./scene";

type Values = { [K in Written]?: Traits[K] };

export class Writer {
  private waiting: Values = {};
  private frame = 0;
  private sending = false;

  constructor(private readonly model: Model) {}

  /** The value as it will be once everything waiting is sent. */
  get<K extends Written>(name: K): Traits[K] {
    const value = this.waiting[name] as Traits[K] | undefined;
    return value ?? this.model.get(name);
  }

  /** Send with the next animation frame. */
  later(values: Values): void {
    Object.assign(this.waiting, values);
    if (!this.frame) this.frame = requestAnimationFrame(() => this.flush());
  }

  /** Send at once, with what was waiting. */
  now(values: Values): void {
    Object.assign(this.waiting, values);
    this.flush();
  }

  /** A newer value came from elsewhere: it wins over the one still waiting. */
  changed(name: Written): void {
    if (!this.sending) delete this.waiting[name];
  }

  flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const values = this.waiting;
    this.waiting = {};
    let dirty = false;
    this.sending = true;
    try {
      for (const name of Object.keys(values) as Written[]) {
        const value = values[name];
        if (value === undefined || value === this.model.get(name)) continue;
        this.model.set(name, value);
        dirty = true;
      }
    } finally {
      this.sending = false;
    }
    if (dirty) this.model.save_changes();
  }
}
