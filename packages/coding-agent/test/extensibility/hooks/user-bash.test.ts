import { expect, test } from "bun:test";
import { checkedUserBash } from "../../../src/extensibility/hooks/user-bash.ts";

test("does not wait for operations that ignore an abort before they start", async () => {
  const chosen = await checkedUserBash({ operations: { exec: () => new Promise(() => {}) } });
  if (!chosen || !("operations" in chosen)) throw new Error("there are no operations");
  const exec = chosen.operations.exec("true", "/", { onData: () => {}, signal: AbortSignal.abort() });
  expect(await exec.catch((error: Error) => error.message)).toBe("aborted");
});

test("removes the listeners of finished commands from a signal that outlives them", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener: add, removeEventListener: remove } = signal;
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove.apply(signal, args);
  };
  const endings = [() => Promise.resolve({ exitCode: 0 }), () => Promise.reject(new Error("no"))];
  for (const exec of endings) {
    const chosen = await checkedUserBash({ operations: { exec } });
    if (!chosen || !("operations" in chosen)) throw new Error("there are no operations");
    await chosen.operations.exec("true", "/", { onData: () => {}, signal }).catch(() => {});
    expect(listeners).toBe(0);
  }
});
