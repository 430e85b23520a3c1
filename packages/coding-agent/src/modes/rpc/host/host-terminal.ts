import type { HostTerminalFrame } from "@pintle/wire";
import type { HostTerminal } from "../../../session/tools/workplace-types.ts";
import type { PendingCalls } from "./pending-calls.ts";

export interface HostTerminalParts {
  pending: PendingCalls;
  send(frame: HostTerminalFrame): void;
  /** How long the host may be silent beyond the time that the command has. */
  timeoutMs(): number;
}

export function createHostTerminal({ pending, send, timeoutMs }: HostTerminalParts): HostTerminal {
  return {
    async run({ timeoutMs: commandMs, ...request }, call) {
      const wait = pending.open({
        kind: "host_terminal",
        deadlineMs: commandMs > 0 ? commandMs : timeoutMs(),
        default: "the command is ended, and the call fails",
        about: { title: request.command, toolCallId: call.id },
        signals: [call.signal],
      });
      if (wait.isAsked) {
        const { command, cwd, env } = request;
        const about = { toolCallId: call.id, command, cwd, env: { ...env } };
        send({ type: "host_terminal_request", id: wait.id, method: "run", ...about, timeout: commandMs });
      }
      const end = await wait.ended;
      if (end.by !== "host") {
        if (wait.isAsked && end.by !== "disconnect") {
          const id = pending.nextId("terminal_cancel");
          send({ type: "host_terminal_request", id, method: "cancel", targetId: wait.id });
        }
        call.signal.throwIfAborted();
        throw new Error("The terminal of the host did not answer in time; what the command did is not known.");
      }
      const { output, exitCode, error } = end.answer;
      if (typeof error === "string") throw new Error(`The terminal of the host: ${error}`);
      return {
        output: typeof output === "string" ? output : "",
        exitCode: Number.isInteger(exitCode) ? (exitCode as number) : undefined,
      };
    },
  };
}
