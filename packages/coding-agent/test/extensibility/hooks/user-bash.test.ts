import { expect, test } from "bun:test";
import { checkedUserBash } from "../../../src/extensibility/hooks/user-bash.ts";

test("operations that are stopped before they begin and do not care are given up", async () => {
  const chosen = await checkedUserBash({ operations: { exec: () => new Promise(() => {}) } });
  if (!chosen || !("operations" in chosen)) throw new Error("there are no operations");
  const exec = chosen.operations.exec("true", "/", { onData: () => {}, signal: AbortSignal.abort() });
  expect(await exec.catch((error: Error) => error.message)).toBe("aborted");
});
