import { BUDGET_LIMITS } from "@pintle/wire";

/** Settings of a session that its file does not store, so the next worker must receive them again. */
const REPEATED: ReadonlySet<string> = new Set([
  "set_permission_mode",
  "set_sandbox_mode",
  "set_policy",
  "set_budget",
  "raise_budget",
  "set_steering_mode",
  "set_follow_up_mode",
  "set_interrupt_mode",
  "set_auto_compaction",
  "set_auto_retry",
  "set_mcp_servers",
]);

/** The MCP servers of a host contain secrets, which must not be stored. */
const NOT_STORED: ReadonlySet<string> = new Set(["set_mcp_servers"]);

/** Whether the next owner of the session, on another machine, must receive the command, too. */
export function keepsForNext(command: string): boolean {
  return REPEATED.has(command) && !NOT_STORED.has(command);
}

/** The newest of each command whose effect is not in the session file, in the order in which they were accepted. */
export class RepeatedCommands {
  readonly #lines = new Map<string, string>();

  accepted(command: string, fields: Readonly<Record<string, unknown>>): void {
    if (!REPEATED.has(command)) return;
    if (command === "set_budget") this.#lines.delete("raise_budget"); // it applied to the previous budget
    // `identicalCalls` limits one run and ends with it.
    const { id: _own, identicalCalls: _ofRun, ...params } = fields;
    if (command === "raise_budget" && !BUDGET_LIMITS.some((limit) => limit in params)) return;
    this.#lines.delete(command);
    this.#lines.set(command, JSON.stringify(params));
  }

  /** Restores a line that `lines` returned. */
  keep(line: string): void {
    const fields = JSON.parse(line) as { type: string };
    this.accepted(fields.type, fields);
  }

  lines(): string[] {
    return [...this.#lines.values()];
  }
}
