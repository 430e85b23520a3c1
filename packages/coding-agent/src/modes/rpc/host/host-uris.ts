import type { AskHost, HostFields } from "../../../session/host-question.ts";
import type { HostCall, HostUris } from "../../../session/tools/workplace-types.ts";

export interface HostUriScheme {
  scheme: string;
  writable?: boolean;
}

type Asked = { operation: "read"; url: string } | { operation: "write"; url: string; content: string };

/** Schemes with a fixed meaning. A host that resolved one would come between the model and the web or the disk. */
const RESERVED: ReadonlySet<string> = new Set(["file", "http", "https", "data", "blob", "javascript"]);

/** Returns the accepted schemes in lower case without duplicates. The last of two definitions wins. */
export function acceptedSchemes(schemes: readonly HostUriScheme[]): HostUriScheme[] {
  const byName = new Map<string, HostUriScheme>();
  for (const { scheme, writable = false } of schemes) {
    const name = scheme.toLowerCase();
    // A single letter is a Windows drive.
    if (name.length > 1 && !RESERVED.has(name)) byName.set(name, { scheme: name, writable });
  }
  return [...byName.values()];
}

/** Resolves addresses of the host's own schemes. Without an answer the call fails. */
export function createHostUris(ask: AskHost, schemes: readonly HostUriScheme[]): HostUris {
  const find = (path: string) => {
    const name = /^([a-z][a-z0-9+.-]*):\/\//i.exec(path)?.[1]?.toLowerCase();
    return schemes.find(({ scheme }) => scheme === name);
  };
  return {
    resolves: (path) => find(path) !== undefined,
    async read(url, call) {
      const { content } = await askFor(ask, { operation: "read", url }, call);
      if (typeof content !== "string") throw new Error(`The host returned no content for ${url}.`);
      return content;
    },
    async write(url, content, call) {
      const found = find(url);
      if (!found?.writable)
        throw new Error(`${url} cannot be written: the host declares ${found?.scheme}:// as read-only.`);
      await askFor(ask, { operation: "write", url, content }, call);
    },
  };
}

async function askFor(ask: AskHost, asked: Asked, call: HostCall): Promise<HostFields> {
  const end = await ask("host_uri", {
    fields: () => asked,
    about: { method: asked.operation, title: asked.url, toolCallId: call.id },
    signals: [call.signal],
  });
  if (end.by === "host") {
    const { isError, error, content } = end.answer;
    if (isError !== true && error === undefined) return end.answer;
    const reason = [error, content].find((text) => typeof text === "string" && text !== "");
    throw new Error(`${asked.url}: ${typeof reason === "string" ? reason : "the host reported a failure"}`);
  }
  call.signal.throwIfAborted();
  const doubt = asked.operation === "write" ? "; it is unknown whether it was written" : "";
  throw new Error(`The host did not answer for ${asked.url}${doubt}.`);
}
