import { describe, expect, it } from "vitest";
import { complete, fill } from "../src/scene";
import { fit } from "../src/draw";
import { action } from "../src/keys";
import { allowsAttribute, allowsElement } from "../src/mathml";
import { dashes } from "../src/pulse";

describe("complete", () => {
  it.each([undefined, null, {}, { frames: [] }])("makes a blank scene of %j", (raw) => {
    const scene = complete(raw);
    expect(scene.frames).toHaveLength(1);
    expect(scene.ui.play).toBe("Play");
  });

  it("keeps given texts and fills in missing ones", () => {
    const { ui } = complete({ ui: { play: "播放", legend: { data: "数据节点" } } });
    expect([ui.play, ui.pause, ui.legend.data, ui.legend.op]).toEqual([
      "播放",
      "Pause",
      "数据节点",
      "operator",
    ]);
  });
});

describe("fill", () => {
  it("fills both numbers, as often as they occur", () => {
    expect(fill("step {n} of {total} ({n})", 3, 7)).toBe("step 3 of 7 (3)");
  });

  it("takes replacement patterns as text", () => {
    expect(fill("$& {n}", 1, 2)).toBe("$& 1");
  });
});

describe("fit", () => {
  it("shrinks long labels, wide letters sooner, never below 8", () => {
    expect(fit("w", 46)).toBeGreaterThan(17);
    expect(fit("weight", 46)).toBeLessThan(17);
    expect(fit("权重矩阵", 46)).toBeLessThan(fit("abcd", 46));
    expect(fit("x".repeat(99), 46)).toBe(8);
    expect(fit("", 46)).toBeGreaterThan(17);
  });
});

describe("dashes", () => {
  it("cover the way behind the pulse, and nothing before it", () => {
    expect(dashes(0, 100)).toBe("0.0 105");
    expect(dashes(12, 100)).toBe("5 4 3.0 105");
    expect(dashes(17, 100)).toBe("5 4 5.0 105");
  });
});

describe("keys of the player", () => {
  const calls: string[] = [];
  const actions = {
    go: (step: number) => calls.push(`go ${step}`),
    move: (by: number) => calls.push(`move ${by}`),
    toggle: () => calls.push("toggle"),
    speed: () => undefined,
    table: () => true,
  };

  it("are space, left, right, Home and End", () => {
    for (const key of [" ", "ArrowLeft", "ArrowRight", "Home", "End"]) action(key, actions, 7)?.();
    expect(calls).toEqual(["toggle", "move -1", "move 1", "go 0", "go 7"]);
  });

  it.each(["a", "b", "d", "Enter", "Escape", "Tab", "ArrowUp"])("are not %s", (key) => {
    expect(action(key, actions, 7)).toBeNull();
  });
});

describe("MathML", () => {
  it.each(["math", "mfrac", "mtext", "mtable", "msup"])("may hold %s", (name) => {
    expect(allowsElement(name)).toBe(true);
  });

  it.each(["script", "img", "a", "iframe", "annotation-xml", "semantics", "maction", "style", "svg"])(
    "may not hold %s",
    (name) => expect(allowsElement(name)).toBe(false),
  );

  it.each(["href", "xlink:href", "onclick", "onmouseover", "style", "src", "class", "id"])(
    "may not carry %s",
    (name) => expect(allowsAttribute(name)).toBe(false),
  );
});
