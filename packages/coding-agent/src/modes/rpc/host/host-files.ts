import type { HostFsFrame } from "@pintle/wire";
import type { HostCall, HostFiles } from "../../../session/tools/workplace-types.ts";
import type { PendingCalls } from "./pending-calls.ts";
import type { HostFields } from "./pending-wait.ts";

export interface HostFilesParts {
  pending: PendingCalls;
  send(frame: HostFsFrame): void;
  timeoutMs(): number;
}

type Asked = { method: "read"; path: string } | { method: "write"; path: string; content: string };

/**
 * Silence is a failure of the call, never a look at the disk: what the editor holds may be another text, and an edit made from
 * the disk would take the user's work away.
 */
export function createHostFiles(parts: HostFilesParts): HostFiles {
  return {
    async read(path, call) {
      const answer = await ask(parts, { method: "read", path }, call);
      if (answer.notOpen === true) return undefined;
      if (typeof answer.content === "string") return answer.content;
      throw new Error(failureText(path, answer));
    },
    async write(path, content, call) {
      const answer = await ask(parts, { method: "write", path, content }, call);
      if (answer.error !== undefined) throw new Error(failureText(path, answer));
      return answer.notOpen !== true;
    },
  };
}

async function ask({ pending, send, timeoutMs }: HostFilesParts, asked: Asked, call: HostCall): Promise<HostFields> {
  const deadlineMs = timeoutMs();
  const wait = pending.open({
    kind: "host_fs",
    deadlineMs,
    default: "the call fails",
    about: { method: asked.method, title: asked.path, toolCallId: call.id },
    signals: [call.signal],
  });
  if (wait.isAsked) {
    send({ type: "host_fs_request", id: wait.id, toolCallId: call.id, ...asked, timeout: deadlineMs });
  }
  const end = await wait.ended;
  if (end.by === "host") return end.answer;
  if (wait.isAsked && end.by !== "disconnect") {
    send({ type: "host_fs_request", id: pending.nextId("fs_cancel"), method: "cancel", targetId: wait.id });
  }
  call.signal.throwIfAborted();
  const doubt = asked.method === "write" ? "; whether it was written is not known" : "";
  throw new Error(`The editor did not answer for ${asked.path}${doubt}.`);
}

function failureText(path: string, { error }: HostFields): string {
  return typeof error === "string" ? `${path}: ${error}` : `The editor gave no content of ${path}.`;
}
