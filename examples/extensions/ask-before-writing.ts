// Asks before the model writes outside `src/`. Without a user to ask, the answer is no. Try it:
//   pintle --extension examples/extensions/ask-before-writing.ts -p 'write notes.txt: x'
import { relative, resolve } from "node:path";
import type { ExtensionFactory } from "pintle";

const WRITES = new Set(["write", "edit"]);

const extension: ExtensionFactory = (pi) => {
  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    if (!WRITES.has(toolName)) return undefined;
    const path = relative(ctx.cwd, resolve(ctx.cwd, String(input.path)));
    if (path.startsWith("src/")) return undefined;
    if (await ctx.ui.confirm(`Write ${path}?`, "It is outside src/.")) return undefined;
    return { block: true, reason: `The user did not approve writing ${path}. Stay inside src/.` };
  });
};

export default extension;
