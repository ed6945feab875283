import { describe, expect, it } from "vitest";
import { complete } from "../src/scene";
import * as timeline from "../src/timeline";
import { product, sceneOf } from "./scenes";

describe("stateAt", () => {
  it("shows only the leaves at the start", () => {
    const state = timeline.stateAt(product, 0);
    expect([...state.value]).toEqual([["w", "2"], ["x", "3"]]);
    expect(state.grad.size + state.edge.size + state.done.size + state.back.size).toBe(0);
    expect([...state.lit]).toEqual(["w", "x"]);
  });

  it("keeps what earlier frames left, and lights only its own", () => {
    const state = timeline.stateAt(product, 3);
    expect(state.phase).toBe("backward");
    expect([...state.done]).toEqual(["w-mul", "x-mul"]);
    expect([...state.back]).toEqual(["w-mul"]);
    expect([...state.lit]).toEqual(["w"]);
    expect(state.value.get("p")).toBe("6");
    expect(state.edge.get("w-mul")).toEqual({ text: "∂p/∂w = 3", phase: "backward" });
  });

  it("lets a later text replace an earlier one", () => {
    expect(timeline.stateAt(product, 3).grad.get("w")).toBe("3");
    expect(timeline.stateAt(product, 4).grad.get("w")).toBe("3 + 4 = 7");
  });

  it("does not depend on where it was before", () => {
    const once = timeline.stateAt(product, 2);
    timeline.stateAt(product, 5);
    expect(timeline.stateAt(product, 2)).toEqual(once);
  });

  it("clamps", () => {
    expect(timeline.stateAt(product, 99).step).toBe(5);
    expect(timeline.stateAt(product, -1).step).toBe(0);
  });

  it("is defined for a scene without frames", () => {
    expect(timeline.stateAt(sceneOf(), 3)).toMatchObject({ step: 0, phase: "start" });
  });
});

describe("stateBefore", () => {
  it("has the light of its frame, not yet its results", () => {
    const before = timeline.stateBefore(product, 3);
    expect([...before.lit]).toEqual(["w"]);
    expect([...before.flow]).toEqual(["w-mul"]);
    expect(before.back.size).toBe(0);
    expect(before.grad.has("w")).toBe(false);
  });

  it("is the state itself at the start", () => {
    expect(timeline.stateBefore(product, 0)).toEqual(timeline.stateAt(product, 0));
  });
});

describe("clampStep", () => {
  it.each([
    [-3, 0],
    [2.4, 2],
    [2.6, 3],
    [9, 5],
    [NaN, 0],
    [Infinity, 5],
    [-Infinity, 0],
  ])("%d becomes %d of 5", (step, expected) => {
    expect(timeline.clampStep(step, 5)).toBe(expected);
  });
});

describe("playback", () => {
  it.each([
    [1, 1100],
    [2, 550],
    [0.5, 2200],
    [100, 275],
    [0, 4400],
    [NaN, 1100],
  ])("speed %d waits %d ms", (speed, wait) => {
    expect(timeline.interval(speed)).toBe(wait);
  });

  it("ends a transition before the next frame", () => {
    for (const speed of [0.25, 1, 4]) {
      expect(timeline.transition(speed)).toBeLessThan(timeline.interval(speed));
    }
  });

  it("stops with the last step", () => {
    expect(timeline.advance(3, 5)).toEqual({ step: 4, playing: true });
    expect(timeline.advance(4, 5)).toEqual({ step: 5, playing: false });
    expect(timeline.advance(5, 5)).toEqual({ step: 5, playing: false });
  });

  it("starts over at the end", () => {
    expect(timeline.playFrom(5, 5)).toBe(0);
    expect(timeline.playFrom(4, 5)).toBe(4);
  });
});

describe("firstLit", () => {
  it("finds the first frame that lights a node", () => {
    expect(timeline.firstLit(product, "p")).toBe(1);
    expect(timeline.firstLit(product, "w")).toBe(0);
    expect(timeline.firstLit(product, "nowhere")).toBe(-1);
  });
});

describe("phaseRuns", () => {
  it("joins neighbours of one phase and covers every step", () => {
    expect(timeline.phaseRuns(product)).toEqual([
      { phase: "forward", from: 0, to: 1 },
      { phase: "backward", from: 1, to: 4 },
      { phase: "end", from: 4, to: 5 },
    ]);
    expect(timeline.phaseRuns(sceneOf())).toEqual([]);
  });
});

describe("waves", () => {
  const scene = complete({
    edges: [
      { id: "a", from: "x", to: "op" },
      { id: "b", from: "w", to: "op" },
      { id: "c", from: "op", to: "y" },
    ],
  });

  it("lets inputs arrive before the result leaves", () => {
    expect(timeline.waves(scene, new Set(["c", "b", "a"]), false)).toEqual([["a", "b"], ["c"]]);
  });

  it("runs the other way round in backward", () => {
    expect(timeline.waves(scene, new Set(["a", "c"]), true)).toEqual([["c"], ["a"]]);
  });

  it("ends on a loop, and is empty where nothing flows", () => {
    const loop = complete({
      edges: [
        { id: "a", from: "x", to: "y" },
        { id: "b", from: "y", to: "x" },
      ],
    });
    expect(timeline.waves(loop, new Set(["a", "b"]), false)).toEqual([["a", "b"]]);
    expect(timeline.waves(scene, new Set(["nowhere"]), false)).toEqual([]);
  });
});

describe("scrollFor", () => {
  it.each([
    ["stays where all is seen", [200, 300], 100, 100],
    ["goes right as little as needed", [650], 100, 260],
    ["goes left as little as needed", [200], 400, 190],
    ["never goes below 0", [5], 400, 0],
    ["shows the middle of what is too wide", [100, 1100], 0, 400],
    ["stays where nothing is lit", [], 123, 123],
  ])("%s", (_, places, now, expected) => {
    expect(timeline.scrollFor(places, now, 400, 10)).toBe(expected);
  });
});
