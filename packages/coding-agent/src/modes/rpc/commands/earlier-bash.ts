import { unlessAborted } from "@pintle/ai";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { WaitInRun } from "../../../session/runs/run-controller.ts";

/**
 * For the run of a prompt that came behind a command of the user: the wait until that is over, so that the model sees its
 * output. A command that goes on for long (a server, say) must not keep the prompt: then it goes on without, and says so.
 */
export function outputOfEarlierBash(
  session: Pick<AgentSession, "settings" | "emit">,
  over: Promise<void> | undefined,
): WaitInRun | undefined {
  if (!over) return undefined;
  return (signal) => {
    const limitMs = session.settings.get("bash.promptWaitMs");
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      const message = `A command is still running after ${limitMs / 1_000} s; the prompt goes on without its output`;
      session.emit({ type: "notice", level: "warning", message, source: "bash" });
      resolve();
    }, limitMs);
    // The end of earlier commands is only ever resolved.
    void unlessAborted(over, signal).then(() => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  };
}
