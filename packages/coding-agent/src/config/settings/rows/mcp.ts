import { type SettingRows, setting } from "../setting-row.ts";
import { count, hostDeadline, integer, MAX_TIMER_SECONDS } from "../settings-types.ts";

/** MCP servers. */
export const MCP = {
  "mcp.deferAbove": setting({
    type: count,
    default: 40,
    project: "consent",
    host: "any",
    meaning: "With more MCP tools than this, requests do not declare them; the model searches for the ones it needs.",
  }),
  "mcp.loginTimeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    project: "consent",
    host: "any",
    meaning: "How long an MCP login question waits before the server is skipped.",
  }),
  "mcp.startTimeoutMs": setting({
    type: integer({ min: 0, max: MAX_TIMER_SECONDS * 1_000 }),
    default: 5_000,
    project: "consent",
    host: "any",
    meaning: "How long the first prompt waits for MCP servers to connect; 0 does not wait.",
  }),
} satisfies SettingRows;
