import { complete, type Frame, type Model, type Scene, type Traits, type Written } from "../src/scene";

/** A scene of the given frames; what a test does not state is left empty. */
export function sceneOf(...frames: Partial<Frame>[]): Scene {
  return complete({ frames });
}

export const product = sceneOf(
  { phase: "start", lit: ["w", "x"], value: { w: "2", x: "3" } },
  { phase: "forward", lit: ["mul", "p"], flow: ["w-mul", "x-mul"], value: { p: "6" } },
  { phase: "backward", lit: ["p"], grad: { p: "1" } },
  { phase: "backward", lit: ["w"], flow: ["w-mul"], grad: { w: "3" }, edge: { "w-mul": "∂p/∂w = 3" } },
  { phase: "backward", lit: ["w"], grad: { w: "3 + 4 = 7" } },
  { phase: "end" },
);

export class FakeModel implements Model {
  saves = 0;
  readonly writes: [Written, unknown][] = [];
  private readonly listeners = new Map<string, Set<() => void>>();

  constructor(readonly traits: Traits) {}

  get<K extends keyof Traits>(name: K): Traits[K] {
    return this.traits[name];
  }

  set<K extends Written>(name: K, value: Traits[K]): void {
    this.writes.push([name, value]);
    this.put(name, value);
  }

  /** A change from Python: not a write of the browser. */
  put<K extends keyof Traits>(name: K, value: Traits[K]): void {
    if (this.traits[name] === value) return;
    this.traits[name] = value;
    for (const listener of this.listeners.get(`change:${name}`) ?? []) listener();
  }

  save_changes(): void {
    this.saves += 1;
  }

  on(event: string, listener: () => void): void {
    const known = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, known.add(listener));
  }

  off(event: string, listener: () => void): void {
    this.listeners.get(event)?.delete(listener);
  }
}

export function traits(over: Partial<Traits> = {}): Traits {
  return { scene: product, lang: "en", step: 0, playing: false, speed: 1, selected: "", ...over };
}
