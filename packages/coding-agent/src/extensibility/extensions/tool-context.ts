import type { NestedTools, ToolInvocation } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import type { ExtensionContext, ExtensionToolContext } from "../api/extension-types.ts";
import { progressOf } from "../api/tool-results.ts";
import { extended } from "./extended.ts";

/** Returns the `ctx` of a running tool: it can call the other tools of the session. */
export function toolContext(
  context: ExtensionContext,
  { nested }: ToolInvocation,
  requireLive: () => void,
): ExtensionToolContext {
  const calls = (): NestedTools => {
    requireLive();
    if (!nested) throw new Error("This tool runs outside a session, so there are no other tools to call");
    return nested;
  };
  return extended(context, {
    get tools() {
      return calls().tools.map(({ name, label, description, parameters }) => ({
        name,
        label,
        description,
        parameters,
      }));
    },
    async executeTool(name, args, { signal, onUpdate } = {}) {
      if (typeof name !== "string") throw new TypeError("executeTool takes the name of a tool");
      if (!isRecord(args)) throw new TypeError("executeTool takes the arguments of the tool as an object");
      return calls().call(name, structuredClone(args), {
        ...(signal && { signal }),
        ...(onUpdate && { onUpdate: progressOf({ update: onUpdate }) }),
      });
    },
  } satisfies Omit<ExtensionToolContext, keyof ExtensionContext>);
}
