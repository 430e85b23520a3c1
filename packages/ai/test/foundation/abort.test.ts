import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { onAbort, unlessAborted, untilAborted } from "../../src/foundation/abort.ts";

/** A signal that counts its listeners. */
function watchedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener(type: "abort", listener: () => void, options: AddEventListenerOptions) {
      listeners.add(listener);
      add(type, listener, options);
      add(type, () => listeners.delete(listener), options); // A once-only listener is removed after its call.
    },
    removeEventListener(type: "abort", listener: () => void) {
      listeners.delete(listener);
      remove(type, listener);
    },
  });
  return { controller, signal, listeners };
}

/** Enough microtasks for settled promises to reach everything that awaits them. */
async function settle() {
  for (let turn = 0; turn < 10; turn += 1) await null;
}

/** Returns how a promise has settled so far. */
function followed(promise: Promise<unknown>) {
  const seen: unknown[] = [];
  promise.then(
    (value) => seen.push({ value }),
    (error: unknown) => seen.push({ error }),
  );
  return seen;
}

describe("onAbort", () => {
  test("calls back once, when the signal fires", () => {
    const controller = new AbortController();
    let count = 0;
    onAbort(controller.signal, () => count++);
    expect(count).toBe(0);
    controller.abort();
    controller.abort();
    expect(count).toBe(1);
  });

  test("calls back immediately if it has fired, and does not listen", () => {
    const { controller, signal, listeners } = watchedSignal();
    controller.abort();
    let count = 0;
    onAbort(signal, () => count++)();
    expect({ count, listeners: listeners.size }).toEqual({ count: 1, listeners: 0 });
  });

  test("does not call back after it was cancelled", () => {
    const { controller, signal, listeners } = watchedSignal();
    const forget = onAbort(signal, () => {
      throw new Error("called");
    });
    expect(listeners.size).toBe(1);
    forget();
    forget();
    controller.abort();
    expect(listeners.size).toBe(0);
  });

  test("without a signal it never calls back", () => {
    let calls = 0;
    onAbort(undefined, () => {
      calls += 1;
    })();
    expect(calls).toBe(0);
  });
});

/** The events of the work and of the signal, in every order. */
const STEPS = ["resolve", "reject", "abort", "wait"] as const;
const reason = new Error("the user's abort");
const failure = new Error("the work's failure");

const WAITS = [
  { name: "untilAborted", wait: untilAborted<number>, onAborted: { error: reason } },
  { name: "unlessAborted", wait: unlessAborted<number>, onAborted: { value: undefined } },
] as const;

for (const { name, wait, onAborted } of WAITS) {
  describe(name, () => {
    test("the first of result and abort wins; no listener and no unhandled failure is left", async () => {
      const unhandled: unknown[] = [];
      const onUnhandled = (error: unknown) => unhandled.push(error);
      process.on("unhandledRejection", onUnhandled);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 6 }), fc.nat(6), async (steps, startsAt) => {
          const { controller, signal, listeners } = watchedSignal();
          const work = Promise.withResolvers<number>();
          let seen: unknown[] = [];
          const ends: unknown[] = [];
          let hasStarted = false;
          const start = async () => {
            hasStarted = true;
            if (signal.aborted) ends.splice(0, ends.length, onAborted); // whatever the work has done by then
            seen = followed(wait(work.promise, signal));
            await settle();
          };
          for (const [index, step] of steps.entries()) {
            if (index === startsAt) await start();
            if (step === "resolve") work.resolve(7);
            if (step === "reject") work.reject(failure);
            if (!hasStarted) work.promise.catch(() => {}); // Until the wait begins, a failure is not the wait's.
            if (step === "abort") controller.abort(reason);
            // Settle everything between two steps, so that the order does not depend on microtasks.
            if (hasStarted) await settle();
            if (step === "resolve") ends.push({ value: 7 });
            if (step === "reject") ends.push({ error: failure });
            if (step === "abort") ends.push(onAborted);
          }
          if (!hasStarted) await start();
          expect(seen).toEqual(ends.slice(0, 1));
          expect(listeners.size).toBe(ends.length > 0 || signal.aborted ? 0 : 1);
          work.resolve(7); // settles what is still open
          await settle();
          expect(listeners.size).toBe(0);
        }),
      );
      await new Promise((resolve) => setTimeout(resolve));
      process.off("unhandledRejection", onUnhandled);
      expect(unhandled).toEqual([]);
    });

    test("without a signal it returns the work alone", async () => {
      expect(await wait(7, undefined)).toBe(7);
      expect(await wait(Promise.reject(failure), undefined).catch((error: unknown) => error)).toBe(failure);
    });
  });
}

test("the caller may supply the abort reason", async () => {
  const cancelled = new Error("cancelled");
  const never = new Promise<never>(() => {});
  const waiting = untilAborted(never, AbortSignal.abort(reason), () => cancelled);
  expect(await waiting.catch((error: unknown) => error)).toBe(cancelled);
});
