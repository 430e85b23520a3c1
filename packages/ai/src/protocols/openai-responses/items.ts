import type OpenAI from "openai";

type ReasoningItem = OpenAI.Responses.ResponseReasoningItem;
export type Phase = OpenAI.Responses.ResponseOutputMessage["phase"];

/** What a text block or a tool call stores about the item it came from, as JSON in its signature. */
export interface ItemLink {
  id: string;
  /** The reasoning item before it: the API refuses one without the other. */
  after?: string;
  phase?: Phase;
}

export function writeLink({ id, after, phase }: ItemLink): string {
  return JSON.stringify({ id, ...(after && { after }), ...(phase && { phase }) });
}

export function readLink(signature: string | undefined): ItemLink | undefined {
  const link = parseObject(signature) as Partial<ItemLink> | undefined;
  return isItemId(link?.id) ? (link as ItemLink) : undefined;
}

/**
 * Returns undefined without encrypted content: the server stores nothing, so an id alone would refer to an unknown
 * item.
 */
export function writeReasoning(item: Partial<ReasoningItem>): string | undefined {
  const { id, summary, content, encrypted_content } = item;
  if (!isItemId(id) || !isText(encrypted_content)) return undefined;
  const hasContent = Array.isArray(content) && content.length > 0;
  const kept: ReasoningItem = {
    type: "reasoning",
    id,
    summary: Array.isArray(summary) ? summary : [],
    ...(hasContent && { content }),
    encrypted_content,
  };
  return JSON.stringify(kept);
}

export function readReasoning(signature: string | undefined): ReasoningItem | undefined {
  const item = parseObject(signature) as Partial<ReasoningItem> | undefined;
  const isWhole = item?.type === "reasoning" && isItemId(item.id) && isText(item.encrypted_content);
  return isWhole && Array.isArray(item.summary) ? (item as ReasoningItem) : undefined;
}

/** Gateways generate longer ids, which the API sends but does not accept. */
function isItemId(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function parseObject(json = ""): object | undefined {
  if (!json.startsWith("{")) return undefined;
  try {
    return JSON.parse(json) as object;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // Written by another program: only the link is lost.
    throw error;
  }
}
