import type { Frame } from "../rpc-child.ts";
import type { ExtensionRun } from "./with-extensions.ts";

/** A command that runs its argument as code, with `pi`, its `ctx`, `note` and whatever earlier code has stored. */
export const LABORATORY = `
  const AsyncFunction = (async () => {}).constructor;
  const kept = {};
  pi.registerCommand("do", { description: "Runs code", handler: async (code, ctx) => {
    let outcome;
    try { outcome = { value: await new AsyncFunction("pi", "ctx", "kept", "note", code)(pi, ctx, kept, note) }; }
    catch (error) { outcome = { error: String(error?.message ?? error) }; }
    note("did", outcome);
  } });
`;

/** Returns the result of the code after its command has ended. Throws what the code throws. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the code gives
export async function evaluate({ command, notes }: ExtensionRun, code: string): Promise<any> {
  await command(`/do ${code}`);
  const outcome = notes().findLast(([key]) => key === "did")?.[1] as Frame;
  if (outcome.error !== undefined) throw new Error(outcome.error);
  return outcome.value ?? null;
}
