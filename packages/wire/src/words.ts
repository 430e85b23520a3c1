import { Type } from "@pintle/ai/type";

/** One of these words. */
export function oneOf<const W extends readonly string[]>(words: W, options?: { description: string }) {
  return Type.Unsafe<W[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      options,
    ),
  );
}

export const TODO_STATUSES = ["pending", "in_progress", "completed", "abandoned"] as const;

/** Permission presets, the strictest first. */
export const PERMISSION_MODES = ["plan", "ask", "workspace", "full"] as const;

/** Where commands run; `auto` follows the preset. */
export const SANDBOX_MODES = ["auto", "off", "workspace-write", "read-only"] as const;

/** The kind of effect that a call has. */
export const REQUEST_KINDS = ["read", "write", "execute", "network", "other"] as const;

/** The owners of rules, the strongest first. */
export const RULE_LAYERS = ["host", "session", "user", "project"] as const;

export const APPROVAL_DECISIONS = ["allow_once", "allow_session", "allow_always", "deny", "deny_and_stop"] as const;

export const DECIDED_BY = ["host", "rule", "timeout", "abort", "disconnect", "nobody"] as const;

/** Why a run ended, as far as this version knows: clients must accept other values. */
export const RUN_ENDINGS = [
  "stop",
  "length",
  "abort",
  "timeout",
  "budget",
  "denied",
  "turn_limit",
  "output",
  "error",
] as const;

/** What a connection receives of subagents. */
export const SUBAGENT_LEVELS = ["off", "progress", "events"] as const;

/** What a budget may limit. */
export const BUDGET_LIMITS = ["costUsd", "tokens", "turns", "wallMs", "toolCalls"] as const;

/** What `budget_reached` may name: also limits of a run that has no budget. */
export const REACHED_LIMITS = [...BUDGET_LIMITS, "identicalCalls"] as const;

/** Why a run waits for its host although its budget is not exhausted. */
export const PAUSE_REASONS = ["no_progress", "no_input"] as const;

/** Which changes of files undo covers. */
export const COVERAGES = ["workspace", "tools", "off"] as const;

/** What a rewind does with files that something else has changed. */
export const ON_CONFLICT = ["refuse", "skip", "merge", "keep_both"] as const;

export const BUDGET_SCOPES = ["run", "session"] as const;

export const ON_BUDGET_REACHED = ["pause", "stop"] as const;

/** Why a request does not begin with the previous one. */
export const CACHE_BREAK_CAUSES = [
  "tools_changed",
  "system_changed",
  "model_changed",
  "thinking_changed",
  "tool_choice_changed",
  "compaction",
  "pruning",
  "navigation",
  "session_changed",
  "messages_rewritten",
] as const;
