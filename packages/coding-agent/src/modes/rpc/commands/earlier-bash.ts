import { unlessAborted } from "@pintle/ai";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { WaitInRun } from "../../../session/runs/run-controller.ts";

/**
 * Waits, before the run of a prompt that follows a user's command, until the command has ended, so that the model sees its
 * output. A command that runs for a long time, such as a server, must not block the prompt: after a limit it continues
 * without the output and reports that.
 */
export function outputOfEarlierBash(
  session: Pick<AgentSession, "settings" | "events">,
  over: Promise<void> | undefined,
): WaitInRun | undefined {
  if (!over) return undefined;
  return (signal) => {
    const limitMs = session.settings.get("bash.promptWaitMs");
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      const message = `A command is still running after ${limitMs / 1_000} s; the prompt continues without its output`;
      session.events.emit({ type: "notice", level: "warning", message, source: "bash" });
      resolve();
    }, limitMs);
    // This promise never rejects.
    void unlessAborted(over, signal).then(() => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  };
}
