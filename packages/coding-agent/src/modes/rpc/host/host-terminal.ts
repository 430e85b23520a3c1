import type { AskHost } from "../../../session/host-question.ts";
import type { HostTerminal } from "../../../session/tools/workplace-types.ts";

export function createHostTerminal(ask: AskHost): HostTerminal {
  return {
    async run({ timeoutMs, command, cwd, env }, call) {
      const end = await ask("host_terminal", {
        fields: () => ({ method: "run", toolCallId: call.id, command, cwd, env: { ...env }, timeout: timeoutMs }),
        about: { title: command, toolCallId: call.id },
        signals: [call.signal],
        timeoutMs: timeoutMs > 0 ? timeoutMs : undefined,
      });
      if (end.by !== "host") {
        call.signal.throwIfAborted();
        throw new Error("The host's terminal did not answer in time, so it is unknown what the command did.");
      }
      const { output, exitCode, error } = end.answer;
      if (typeof error === "string") throw new Error(`The host's terminal failed: ${error}`);
      return {
        output: typeof output === "string" ? output : "",
        exitCode: Number.isInteger(exitCode) ? (exitCode as number) : undefined,
      };
    },
  };
}
