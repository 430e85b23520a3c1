import { checkBudget, HANDLER_METHODS, tool } from "@pintle/client/core";
import * as publicExports from "../public-exports.ts";
import { createAgentSession as create } from "../sdk/create-session.ts";
import type { CreatedSession } from "../sdk/options.ts";
import { requireDirectory } from "./require-directory.ts";
import { query, run } from "./run.ts";
import { type EmbedOptions, toSessionOptions } from "./session-options.ts";
import { type EmbeddedSession, withTypedPrompt } from "./typed-prompt.ts";

export interface EmbeddedCreation extends CreatedSession {
  session: EmbeddedSession;
}

/** Returns what users' modules get when they import `pintle`. */
export async function libraryExports(): Promise<object> {
  return { ...publicExports, createAgentSession, run, query, tool };
}

/** Starts a session in this process. */
export async function createAgentSession(options: EmbedOptions = {}): Promise<EmbeddedCreation> {
  checkBudget(options.budget);
  requireDirectory(options.cwd);
  const created = await create({ publicExports: libraryExports, ...toSessionOptions(options) });
  try {
    refuseFaultyTools(created, options);
    const session = await withTypedPrompt(created.session, options.outputSchema);
    const tools = (options.tools ?? []).filter((tool) => typeof tool !== "string");
    const decidesPreviews = options.resolvePreview !== undefined;
    if (decidesPreviews) created.session.attachHost({ ...created.session.host.current, decidesPreviews });
    if (tools.length > 0 || HANDLER_METHODS.some((name) => options[name] !== undefined)) {
      const { attachOwnHost } = await import("./own-host.ts");
      await attachOwnHost(created, { handlers: options, tools, env: options.env ?? process.env });
    }
    created.modules.start();
    created.mcp.start();
    return { ...created, session };
  } catch (error) {
    await created.session.dispose();
    throw error;
  }
}

/** Throws if a tool of the caller cannot be offered, because that is the caller's mistake. */
function refuseFaultyTools({ modules }: CreatedSession, { customTools = [] }: EmbedOptions): void {
  if (customTools.length === 0) return;
  const fault = modules.faults.find(({ event }) => event === "registerTool");
  if (fault) throw new TypeError(fault.error);
}
