import type { AgentSession } from "../../session/agent-session.ts";

/**
 * For the run of a prompt that came behind a command of the user: resolves when that is over, so that the model sees its
 * output. A command that goes on for long (a server, say) must not keep the prompt: then it goes on without, and says so.
 */
export function outputOfEarlierBash(
  session: Pick<AgentSession, "settings" | "emit">,
  over: Promise<void> | undefined,
): Promise<void> | undefined {
  if (!over) return undefined;
  const limitMs = session.settings.get("bash.promptWaitMs");
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    const message = `A command is still running after ${limitMs / 1_000} s; the prompt goes on without its output`;
    session.emit({ type: "notice", level: "warning", message, source: "bash" });
    resolve();
  }, limitMs);
  void over.then(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
