import type { Clock, CustomMessage } from "@pintle/agent";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Isolation, LeftWorkspace } from "../../subagents/isolation.ts";
import type { RunPolicy } from "./policy.ts";

export interface LeftWorktreesParts {
  isolation: Isolation | undefined;
  sessionFile(): string | undefined;
  clock: Clock;
  emit(event: AgentSessionEvent): void;
}

/** Recovers what subagents did in worktrees when pintle was killed, and reports it with the first prompt of a session. */
export function leftWorktreesPolicy({ isolation, sessionFile, clock, emit }: LeftWorktreesParts): RunPolicy {
  let checked: string | undefined;
  let left: LeftWorkspace[] = [];
  return {
    name: "left worktrees",
    async prepare() {
      const file = sessionFile();
      if (!isolation || file === undefined || file === checked) return;
      checked = file;
      left = await isolation.recover(file);
      for (const one of left) {
        emit({ type: "notice", level: "warning", message: `pintle ended early. ${textOf(one)}`, source: "subagents" });
      }
    },
    onPrompt() {
      const found = left;
      left = [];
      return found.length === 0 ? {} : { before: [messageOf(found, clock.now())] };
    },
    restore(cause) {
      if (cause !== "moved") left = [];
    },
  };
}

function messageOf(left: readonly LeftWorkspace[], timestamp: number): CustomMessage {
  const lead = "pintle ended before the changes of these subagents were decided on. None of them was applied.";
  return {
    role: "custom",
    customType: "left-worktrees",
    content: [lead, ...left.map(textOf)].join("\n"),
    display: true,
    details: { worktrees: left },
    attribution: "agent",
    timestamp,
  };
}

function textOf({ childId, directory, patchPath, missing }: LeftWorkspace): string {
  const patch = patchPath === undefined ? "" : ` Its changes are in ${patchPath}.`;
  const rest = missing.length === 0 ? "" : ` Not in a patch: ${missing.join("; ")}.`;
  return `The files of subagent ${childId} are in ${directory}.${patch}${rest}`;
}
