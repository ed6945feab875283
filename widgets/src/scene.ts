// What Python sends: a picture with places already computed, and its frames.
// Every text is ready to show; nothing here is laid out or formatted again.

export type Phase = "start" | "forward" | "backward" | "end";
export type Role = "input" | "parameter" | "constant" | "value" | "output" | "op";

export interface SceneNode {
  id: string;
  kind: "data" | "op";
  role: Role;
  label: string;
  title: string;
  x: number;
  y: number;
  r: number;
  note: string;
}

export interface SceneEdge {
  id: string;
  from: string;
  to: string;
  path: string;
  back: string;
  label: { x: number; y: number; anchor: "start" | "middle" | "end" };
}

export interface Frame {
  phase: Phase;
  sentence: string;
  rule: string;
  rule_text: string;
  lit: string[];
  flow: string[];
  value: Record<string, string>;
  grad: Record<string, string>;
  edge: Record<string, string>;
}

export interface Ui {
  play: string;
  pause: string;
  first: string;
  last: string;
  back: string;
  forward: string;
  scrub: string;
  speed: string;
  table: string;
  step: string;
  rule: string;
  none: string;
  legend: { data: string; op: string; forward: string; backward: string };
}

export interface Scene {
  version: number;
  title: string;
  alt: string;
  width: number;
  height: number;
  nodes: SceneNode[];
  edges: SceneEdge[];
  frames: Frame[];
  ui: Ui;
}

/** The synced traits that the browser reads; it writes all but scene and lang. */
export interface Traits {
  scene: unknown;
  lang: string;
  step: number;
  playing: boolean;
  speed: number;
  selected: string;
}

export type Written = "step" | "playing" | "speed" | "selected";

/** The part of a widget model that is used here. */
export interface Model {
  get<K extends keyof Traits>(name: K): Traits[K];
  set<K extends Written>(name: K, value: Traits[K]): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

const ENGLISH: Ui = {
  play: "Play",
  pause: "Pause",
  first: "To start",
  last: "To end",
  back: "Step back",
  forward: "Step",
  scrub: "Step {n} of {total}",
  speed: "Speed",
  table: "Steps as text",
  step: "step {n} of {total}",
  rule: "rule",
  none: "none",
  legend: { data: "data", op: "operator", forward: "forward", backward: "backward" },
};

const BLANK: Frame = {
  phase: "start",
  sentence: "",
  rule: "",
  rule_text: "",
  lit: [],
  flow: [],
  value: {},
  grad: {},
  edge: {},
};

/** Complete a scene that may still be empty, so that the rest needs no checks. */
export function complete(raw: unknown): Scene {
  const scene = (raw ?? {}) as Partial<Scene>;
  const ui = scene.ui ?? ENGLISH;
  const frames = (scene.frames ?? []).map((frame) => ({ ...BLANK, ...frame }));
  return {
    version: scene.version ?? 1,
    title: scene.title ?? "",
    alt: scene.alt ?? "",
    width: scene.width ?? 860,
    height: scene.height ?? 60,
    nodes: scene.nodes ?? [],
    edges: scene.edges ?? [],
    frames: frames.length ? frames : [BLANK],
    ui: { ...ENGLISH, ...ui, legend: { ...ENGLISH.legend, ...ui.legend } },
  };
}

/** Fill the {n} and {total} of a text. */
export function fill(template: string, n: number, total: number): string {
  return template.replaceAll("{n}", String(n)).replaceAll("{total}", String(total));
}
