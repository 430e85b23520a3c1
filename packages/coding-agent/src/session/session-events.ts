export type { AgentSessionEvent, CompactionResult, McpServerStatus, TodoPhase } from "@pintle/wire";
