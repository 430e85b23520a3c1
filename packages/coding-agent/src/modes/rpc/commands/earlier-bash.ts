import { unlessAborted } from "@pintle/ai";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { WaitInRun } from "../../../session/runs/run-controller.ts";

/**
 * For the run of a prompt that follows a user's command: waits until the command has ended, so that the model sees its
 * output. A command that runs for long (a server, for example) must not block the prompt: it then continues without,
 * and says so.
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
    // The end of earlier commands is only ever resolved.
    void unlessAborted(over, signal).then(() => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  };
}
