import type { ToolResult } from "@pintle/agent";
import { isRecord, isTooDeep, TOO_DEEP_TEXT } from "@pintle/ai";
import { toPlainText } from "@pintle/exec";
import type { Settings } from "../../config/settings/settings.ts";
import { boundText } from "./bound-text.ts";

export interface ResultContext {
  settings: Pick<Settings, "get">;
  takesImages(): boolean;
  /** The name of a new private file. */
  newSpillPath(): Promise<string>;
}

type Block = ToolResult["content"][number];

/** The largest image that providers accept unscaled. */
const MAX_IMAGE_BASE64 = 4.5 * 1024 * 1024;
const MAX_IMAGES = 20;
const MAX_STRUCTURED = 64 * 1024;

/** Converts a server's answer to a call to a tool result. */
export async function toToolResult(answer: Record<string, unknown>, context: ResultContext): Promise<ToolResult> {
  if (isTooDeep(answer)) throw new Error(`The answer of the server is ${TOO_DEEP_TEXT}`);
  const { content, structuredContent, isError } = answer;
  const blocks = Array.isArray(content) ? content.map((block) => toBlock(block, context)) : [];
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  // Servers should send both. If one sends only structured content, the model would otherwise get nothing.
  if (blocks.length === 0 && structured !== undefined) blocks.push({ type: "text", text: structured });
  const { bounded, details } = await boundText(limitImages(mergeTexts(blocks)), context);
  const hasRoom = structured !== undefined && structured.length <= MAX_STRUCTURED;
  return {
    content: bounded,
    details: { ...details, ...(hasRoom && { structuredContent }) },
    ...(isError === true && { isError: true }),
  };
}

type Convert = (block: Record<string, unknown>, context: ResultContext) => Block;

const CONVERSIONS: Readonly<Record<string, Convert>> = {
  text: ({ text }) => note(textOf(text)),
  image: ({ data, mimeType }, context) => toImage(textOf(data), textOf(mimeType), context),
  audio: ({ data, mimeType }) => note(`[${sizeOf(textOf(data), textOf(mimeType))} of audio, which cannot be shown]`),
  resource: ({ resource }) => toResource(isRecord(resource) ? resource : {}),
  resource_link: ({ uri, name, description }) =>
    note(`[${[textOf(name), textOf(uri), textOf(description)].filter((text) => text !== "").join(" | ")}]`),
};

function toBlock(block: unknown, context: ResultContext): Block {
  const type = isRecord(block) ? String(block.type) : "";
  const convert = Object.hasOwn(CONVERSIONS, type) ? CONVERSIONS[type] : undefined;
  return isRecord(block) && convert ? convert(block, context) : note("[content of an unknown kind was left out]");
}

function toImage(data: string, mimeType: string, { settings, takesImages }: ResultContext): Block {
  const leftOut = (reason: string) => note(`[An image (${sizeOf(data, mimeType)}) was left out: ${reason}.]`);
  if (settings.get("images.blockImages")) return leftOut("images are switched off (images.blockImages)");
  if (!takesImages()) return leftOut("the current model does not accept images");
  if (data.length > MAX_IMAGE_BASE64) return leftOut("it is too large for a model");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data) || !/^image\/[\w.+-]+$/.test(mimeType)) return leftOut("it is not valid");
  return { type: "image", data, mimeType };
}

function toResource({ uri, mimeType, text, blob }: Record<string, unknown>): Block {
  const head = [textOf(uri), textOf(mimeType)].filter((part) => part !== "").join(", ");
  if (typeof text === "string") return note(`[${head}]\n${text}`);
  return note(`[${head}: ${sizeOf(textOf(blob), "binary data")} left out]`);
}

function mergeTexts(blocks: readonly Block[]): Block[] {
  const merged: Block[] = [];
  for (const block of blocks) {
    const last = merged.at(-1);
    // Both are cleaned already; cleaning the merged text again for each block would take quadratic time.
    if (block.type === "text" && last?.type === "text")
      merged[merged.length - 1] = { type: "text", text: `${last.text}\n${block.text}` };
    else merged.push(block);
  }
  return merged;
}

function limitImages(blocks: readonly Block[]): Block[] {
  let images = 0;
  return blocks.map((block) => {
    if (block.type === "image") images += 1;
    return block.type === "image" && images > MAX_IMAGES ? note("[one more image was left out]") : block;
  });
}

function note(text: string): Block {
  return { type: "text", text: toPlainText(Buffer.from(text), { hasStart: true, hasEnd: true }) };
}

function sizeOf(base64: string, mimeType: string): string {
  return `${mimeType || "unknown type"}, ${Math.ceil((base64.length * 3) / 4 / 1024)} KB`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
