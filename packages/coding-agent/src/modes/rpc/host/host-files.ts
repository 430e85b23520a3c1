import type { AskHost, HostFields } from "../../../session/host-question.ts";
import type { HostCall, HostFiles } from "../../../session/tools/workplace-types.ts";

type Asked = { method: "read"; path: string } | { method: "write"; path: string; content: string };

/**
 * Without an answer the call fails. pintle does not fall back to the disk: the editor may hold other text, and an edit based on
 * the disk would discard the user's work.
 */
export function createHostFiles(ask: AskHost): HostFiles {
  return {
    async read(path, call) {
      const answer = await askFor(ask, { method: "read", path }, call);
      if (answer.notOpen === true) return undefined;
      if (typeof answer.content === "string") return answer.content;
      throw new Error(failureText(path, answer));
    },
    async write(path, content, call) {
      const answer = await askFor(ask, { method: "write", path, content }, call);
      if (answer.error !== undefined) throw new Error(failureText(path, answer));
      return answer.notOpen !== true;
    },
  };
}

async function askFor(ask: AskHost, asked: Asked, call: HostCall): Promise<HostFields> {
  const end = await ask("host_fs", {
    fields: ({ deadlineMs }) => ({ toolCallId: call.id, ...asked, timeout: deadlineMs }),
    about: { method: asked.method, title: asked.path, toolCallId: call.id },
    signals: [call.signal],
  });
  if (end.by === "host") return end.answer;
  call.signal.throwIfAborted();
  const doubt = asked.method === "write" ? "; it is unknown whether the file was written" : "";
  throw new Error(`The editor did not answer for ${asked.path}${doubt}.`);
}

function failureText(path: string, { error }: HostFields): string {
  return typeof error === "string" ? `${path}: ${error}` : `The editor returned no content for ${path}.`;
}
