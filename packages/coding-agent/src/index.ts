import * as publicExports from "./public-exports.ts";
import { type CreateAgentSessionOptions, type CreatedSession, createAgentSession as create } from "./sdk.ts";

export * from "./public-exports.ts";

/** Starts a session in this process. Users' modules that import `pintle` get what this file exports. */
export async function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<CreatedSession> {
  const created = await create({ publicExports: async () => ({ ...publicExports, createAgentSession }), ...options });
  created.modules.start();
  created.mcp.start();
  return created;
}
