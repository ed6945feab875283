// The picture as a pure function of the step, and the arithmetic of playback.
import type { Phase, Scene } from "./scene";

/** Time between two frames at speed 1, in milliseconds. */
export const BEAT = 1100;

export interface EdgeText {
  text: string;
  phase: Phase;
}

export interface State {
  step: number;
  phase: Phase;
  lit: ReadonlySet<string>;
  flow: ReadonlySet<string>;
  done: ReadonlySet<string>;
  back: ReadonlySet<string>;
  value: ReadonlyMap<string, string>;
  grad: ReadonlyMap<string, string>;
  edge: ReadonlyMap<string, EdgeText>;
}

export function lastStep(scene: Scene): number {
  return Math.max(0, scene.frames.length - 1);
}

/** The nearest step that exists. */
export function clampStep(step: number, last: number): number {
  if (!Number.isFinite(step)) return step > 0 ? last : 0;
  return Math.min(Math.max(Math.round(step), 0), last);
}

/** Everything that frames 0..step have left on the picture. */
export function stateAt(scene: Scene, step: number): State {
  const k = clampStep(step, lastStep(scene));
  const done = new Set<string>();
  const back = new Set<string>();
  const value = new Map<string, string>();
  const grad = new Map<string, string>();
  const edge = new Map<string, EdgeText>();
  for (const frame of scene.frames.slice(0, k + 1)) {
    const trail = frame.phase === "backward" ? back : done;
    for (const id of frame.flow) trail.add(id);
    for (const [id, text] of Object.entries(frame.value)) value.set(id, text);
    for (const [id, text] of Object.entries(frame.grad)) grad.set(id, text);
    for (const [id, text] of Object.entries(frame.edge)) {
      edge.set(id, { text, phase: frame.phase });
    }
  }
  const now = scene.frames[k];
  return {
    step: k,
    phase: now?.phase ?? "start",
    lit: new Set(now?.lit),
    flow: new Set(now?.flow),
    done,
    back,
    value,
    grad,
    edge,
  };
}

/** The state while frame k still runs: its light is on, its results have not arrived. */
export function stateBefore(scene: Scene, step: number): State {
  const now = stateAt(scene, step);
  if (now.step === 0) return now;
  const { done, back, value, grad, edge } = stateAt(scene, now.step - 1);
  return { ...now, done, back, value, grad, edge };
}

/** The first step that lights a node, or -1. */
export function firstLit(scene: Scene, id: string): number {
  return scene.frames.findIndex((frame) => frame.lit.includes(id));
}

export function clampSpeed(speed: number): number {
  return Number.isFinite(speed) ? Math.min(Math.max(speed, 0.25), 4) : 1;
}

/** Milliseconds from one frame to the next. */
export function interval(speed: number): number {
  return BEAT / clampSpeed(speed);
}

/** Milliseconds a transition may take, so that it ends before the next frame. */
export function transition(speed: number): number {
  return 0.85 * interval(speed);
}

/** Where play begins: at the end it starts over. */
export function playFrom(step: number, last: number): number {
  return step >= last ? 0 : step;
}

/** One beat of the clock. */
export function advance(step: number, last: number): { step: number; playing: boolean } {
  const next = clampStep(step + 1, last);
  return { step: next, playing: next < last };
}

/** Neighbouring steps of one phase, for the marks of the track. */
export function phaseRuns(scene: Scene): { phase: Phase; from: number; to: number }[] {
  const runs: { phase: Phase; from: number; to: number }[] = [];
  scene.frames.forEach(({ phase }, k) => {
    if (k === 0) return;
    const run = runs.at(-1);
    if (run?.phase === phase) run.to = k;
    else runs.push({ phase, from: k - 1, to: k });
  });
  return runs;
}

/**
 * The edges of a frame in the order in which a pulse takes them: an edge waits for
 * those that end where it begins. Backward, an edge runs from its end to its start.
 */
export function waves(scene: Scene, flow: ReadonlySet<string>, backward: boolean): string[][] {
  let left = scene.edges.filter(({ id }) => flow.has(id)).map(({ id, from, to }) => ({
    id,
    begin: backward ? to : from,
    end: backward ? from : to,
  }));
  const result: string[][] = [];
  while (left.length) {
    const ends = new Set(left.map(({ end }) => end));
    const ready = left.filter(({ begin }) => !ends.has(begin));
    const wave = ready.length ? ready : left;
    result.push(wave.map(({ id }) => id));
    left = left.filter((edge) => !wave.includes(edge));
  }
  return result;
}

/** The scroll position nearest to the present one that shows all places, if they fit. */
export function scrollFor(places: number[], now: number, width: number, margin: number): number {
  if (!places.length) return now;
  const low = Math.min(...places) - margin;
  const high = Math.max(...places) + margin;
  if (high - low > width) return Math.max(0, (low + high - width) / 2);
  return Math.max(0, Math.min(Math.max(now, high - width), low));
}
