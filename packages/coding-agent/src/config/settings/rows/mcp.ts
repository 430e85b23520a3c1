import { type SettingRows, setting } from "../setting-row.ts";
import { count, hostDeadline, integer, MAX_TIMER_SECONDS } from "../settings-types.ts";

/** MCP servers. */
export const MCP = {
  "mcp.deferAbove": setting({
    type: count,
    default: 40,
    project: "consent",
    host: "any",
    meaning:
      "With more tools of MCP servers than this, requests do not declare them; the model searches for those it needs.",
  }),
  "mcp.loginTimeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    project: "consent",
    host: "any",
    meaning: "How long the question to log in at an MCP server waits; then the server is not used.",
  }),
  "mcp.startTimeoutMs": setting({
    type: integer({ min: 0, max: MAX_TIMER_SECONDS * 1_000 }),
    default: 5_000,
    project: "consent",
    host: "any",
    meaning: "How long the first prompt waits for MCP servers to connect, in milliseconds; 0 does not wait.",
  }),
} satisfies SettingRows;
