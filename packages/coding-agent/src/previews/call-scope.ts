import { AsyncLocalStorage } from "node:async_hooks";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { waitForHost } from "./host-decision.ts";
import type { PendingAction } from "./pending-action.ts";
import type { Previews } from "./previews.ts";

interface StagingCall {
  /** The owner of what it stages. */
  previews: Previews;
  staged: PendingAction[];
}

/** Knows which tool call is running, even if several run at the same time. */
export class CallScope {
  readonly #storage = new AsyncLocalStorage<StagingCall>();

  current(): StagingCall | undefined {
    return this.#storage.getStore();
  }

  run<T>(call: StagingCall, job: () => Promise<T>): Promise<T> {
    return this.#storage.run(call, job);
  }
}

/** The calls of all sessions: a subagent may call a tool of the session that it works for. */
export const CALLS = new CallScope();

export async function runStagingCall(
  previews: Previews,
  scope: CallScope,
  call: ToolInvocation,
  execute: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const staged: PendingAction[] = [];
  try {
    const result = await scope.run({ previews, staged }, execute);
    return staged.length > 0 && previews.decider === "host"
      ? await waitForHost(previews, staged, result, call)
      : result;
  } catch (error) {
    // The host has not seen anything to decide on.
    if (previews.decider === "host") {
      const reason = "The tool failed";
      for (const { id } of staged.filter((action) => previews.isPending(action))) {
        await previews.decide({ verdict: "discard", reason, by: "abort" }, id);
      }
    }
    throw error;
  }
}
