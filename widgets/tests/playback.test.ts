import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Clock } from "../src/clock";
import { advance, lastStep } from "../src/timeline";
import { Writer } from "../src/writer";
import { FakeModel, product, traits } from "./scenes";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => setTimeout(draw, 16));
  vi.stubGlobal("cancelAnimationFrame", (frame: number) => clearTimeout(frame));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("Writer", () => {
  it("sends the last of many values, once per animation frame", () => {
    const model = new FakeModel(traits());
    const writer = new Writer(model);
    for (const step of [1, 2, 3, 4]) writer.later({ step });
    expect(model.writes).toEqual([]);
    expect(writer.get("step")).toBe(4);
    vi.advanceTimersByTime(20);
    expect(model.writes).toEqual([["step", 4]]);
    expect(model.saves).toBe(1);
  });

  it("sends nothing that is already so", () => {
    const model = new FakeModel(traits({ step: 4 }));
    new Writer(model).now({ step: 4, playing: false });
    expect([model.writes, model.saves]).toEqual([[], 0]);
  });

  it("drops a waiting value when a newer one comes from Python", () => {
    const model = new FakeModel(traits());
    const writer = new Writer(model);
    model.on("change:step", () => writer.changed("step"));
    writer.later({ step: 3, speed: 2 });
    model.put("step", 5);
    vi.advanceTimersByTime(20);
    expect(model.traits).toMatchObject({ step: 5, speed: 2 });
  });

  it("sends what waits along with what is urgent, in one message", () => {
    const model = new FakeModel(traits());
    const writer = new Writer(model);
    writer.later({ step: 3 });
    writer.now({ playing: true });
    expect(model.traits).toMatchObject({ step: 3, playing: true });
    expect(model.saves).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("Clock", () => {
  /** As a view does: advance on a beat, restart on any change of the step. */
  function watch(model: FakeModel): Clock {
    const writer = new Writer(model);
    const clock = new Clock(
      () => writer.now(advance(model.get("step"), lastStep(product))),
      () => model.get("speed"),
    );
    model.on("change:step", () => clock.restart());
    model.on("change:playing", () => (model.get("playing") ? clock.start() : clock.stop()));
    return clock;
  }

  it.each([1, 2, 5])("moves once per beat with %d views", (views) => {
    const model = new FakeModel(traits());
    for (let i = 0; i < views; i += 1) watch(model);
    model.put("playing", true);
    vi.advanceTimersByTime(400);
    expect(model.traits.step).toBe(1);
    vi.advanceTimersByTime(1100);
    expect(model.traits.step).toBe(2);
    vi.advanceTimersByTime(3300);
    expect(model.traits).toMatchObject({ step: 5, playing: false });
    expect(model.writes.filter(([name]) => name === "step").map(([, step]) => step)).toEqual([
      1, 2, 3, 4, 5,
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("goes on when the view that moved first is closed", () => {
    const model = new FakeModel(traits());
    const first = watch(model);
    watch(model);
    model.put("playing", true);
    vi.advanceTimersByTime(400);
    first.stop();
    vi.advanceTimersByTime(1100);
    expect(model.traits.step).toBe(2);
  });

  it("keeps the time already waited when the speed changes", () => {
    const model = new FakeModel(traits());
    const clock = watch(model);
    model.put("playing", true);
    vi.advanceTimersByTime(385 + 400);
    expect(model.traits.step).toBe(1);
    model.put("speed", 2);
    clock.retime();
    vi.advanceTimersByTime(149);
    expect(model.traits.step).toBe(1);
    vi.advanceTimersByTime(2);
    expect(model.traits.step).toBe(2);
  });

  it("waits a whole beat after a step made by hand", () => {
    const model = new FakeModel(traits());
    watch(model);
    model.put("playing", true);
    vi.advanceTimersByTime(385 + 1000);
    model.put("step", 3);
    vi.advanceTimersByTime(1000);
    expect(model.traits.step).toBe(3);
    vi.advanceTimersByTime(101);
    expect(model.traits.step).toBe(4);
  });
});
