import { errorText } from "@pintle/ai";
import { escapeXml } from "@pintle/foundation";
import type { PromptText } from "../../resources/prompts/prompt-text.ts";
import { toUserText } from "../prompts/prompt-messages.ts";
import type { ResultContext } from "../tools/tool-result.ts";
import { readResource } from "./resource-content.ts";
import type { ResourceServer } from "./resource-server.ts";

const MENTION = /(?<=^|\s)@([A-Za-z0-9_.-]{1,100}):(\S+)/g;
const MAX_MENTIONS = 10;

interface Mention {
  server: ResourceServer;
  uri: string;
}

/** Finds `@server:uri` in a message, without duplicates. Ignores names of unknown servers, which may mean something else. */
export function mentionsIn(text: string, servers: readonly ResourceServer[]): Mention[] {
  const found = new Map<string, Mention>();
  for (const [, name, written = ""] of text.matchAll(MENTION)) {
    const server = servers.find((one) => one.name === name);
    const uri = written.replace(/[.,;!?'"]+$/, "");
    if (server && uri !== "") found.set(`${name}:${uri}`, { server, uri });
  }
  return [...found.values()].slice(0, MAX_MENTIONS);
}

export interface AttachParts {
  context: ResultContext;
  warn(message: string): void;
  signal: AbortSignal;
}

/**
 * Puts the mentioned resources in front of the prompt, like files on the command line. A resource that cannot be read
 * remains a plain word of the prompt.
 */
export async function attachResources(
  prompt: PromptText,
  mentions: readonly Mention[],
  { context, warn, signal }: AttachParts,
): Promise<PromptText> {
  const read = await Promise.all(
    mentions.map(async ({ server, uri }): Promise<PromptText[]> => {
      try {
        const { content } = await readResource(server, uri, context, signal);
        const { text, images } = toUserText(content);
        const name = `server="${escapeXml(server.name)}" uri="${escapeXml(uri)}"`;
        const body = text === "" ? "" : `\n${text}\n`;
        return [{ text: `<resource ${name}>${body}</resource>`, ...(images && { images }) }];
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        warn(`@${server.name}:${uri} was not read: ${errorText(error)}`);
        return [];
      }
    }),
  );
  const attached = read.flat();
  if (attached.length === 0) return prompt;
  const images = [...(prompt.images ?? []), ...attached.flatMap((one) => one.images ?? [])];
  const text = [...attached.map((one) => one.text), prompt.text].join("\n");
  return { text, ...(images.length > 0 && { images }) };
}
