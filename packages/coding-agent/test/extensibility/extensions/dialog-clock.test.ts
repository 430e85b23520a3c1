import { describe, expect, test } from "bun:test";
import { DialogClock } from "../../../src/extensibility/extensions/dialog-clock.ts";

const after = (ms: number) => Bun.sleep(ms);
const never = new Promise<never>(() => {});

describe("DialogClock", () => {
  test("gives what the work gives, or throws what it throws", async () => {
    const clock = new DialogClock();
    expect(await clock.within(Promise.resolve(7), 1_000)).toBe(7);
    await expect(clock.within(Promise.reject(new Error("no")), 1_000)).rejects.toThrow("no");
  });

  test("ends the wait for work that takes too long", async () => {
    await expect(new DialogClock().within(never, 20)).rejects.toThrow("no answer within 0.02 s");
  });

  test("does not count the time in dialogs, also of several at once", async () => {
    const clock = new DialogClock();
    const work = (async () => {
      await Promise.all([clock.ask(() => after(150)), clock.ask(() => after(200))]);
      await clock.ask(() => after(150));
      return "answered";
    })();
    expect(await clock.within(work, 100)).toBe("answered");
  });

  test("counts on when the dialog is closed", async () => {
    const clock = new DialogClock();
    const work = clock.ask(() => after(60)).then(() => never);
    await expect(clock.within(work, 40)).rejects.toThrow("no answer within");
  });

  test("a dialog that fails is over too", async () => {
    const clock = new DialogClock();
    await clock.ask(() => Promise.reject(new Error("gone"))).catch(() => {});
    await expect(clock.within(never, 20)).rejects.toThrow("no answer within");
  });

  test("what was waited for before does not help later work", async () => {
    const clock = new DialogClock();
    await clock.ask(() => after(80));
    await expect(clock.within(never, 30)).rejects.toThrow("no answer within");
  });
});
