import { describe, expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { Waits } from "../../src/core/waits.ts";

describe("when a wait is over", () => {
  test.each(["resolve", "reject", "abort", "close"])("by %s, no timer or listener is left", async (how) => {
    const waits = new Waits();
    const controller = new AbortController();
    let cleanedUp = 0;
    let settle = { resolve() {}, reject(_error: unknown) {} };
    const wait = waits.wait<void>({
      what: "it",
      signal: controller.signal,
      timeoutMs: 60_000,
      start: (given) => {
        settle = given;
        return () => {
          cleanedUp += 1;
        };
      },
    });
    const outcome = wait.catch((error) => error);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    const endings: Record<string, () => void> = {
      resolve: () => settle.resolve(),
      reject: () => settle.reject("no"),
      abort: () => controller.abort("no"),
      close: () => waits.rejectAll("no"),
    };
    endings[how]?.();
    settle.reject("too late");
    waits.rejectAll("too late");
    expect(await outcome).toBe(how === "resolve" ? undefined : "no");
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    expect(cleanedUp).toBe(1);
  });

  test("nothing is left even if it ends immediately", async () => {
    let cleanedUp = 0;
    const start = ({ resolve }: { resolve(value: string): void }) => {
      resolve("now");
      return () => {
        cleanedUp += 1;
      };
    };
    expect(await new Waits().wait<string>({ what: "it", start })).toBe("now");
    expect(cleanedUp).toBe(1);
  });
});
