import type OpenAI from "openai";
import type {
  AssistantContent,
  AssistantMessage,
  ImageContent,
  InputContent,
  ProviderMessage,
  TextContent,
  ToolCall,
  ToolResultMessage,
} from "../../messages.ts";
import type { Model } from "../../model.ts";
import type { Conversion } from "../../request-memory.ts";
import { toSendableImage } from "../sendable-image.ts";
import { createToolCallIdMapper, wordIds } from "../tool-call-ids.ts";
import { type ItemLink, readLink, readReasoning } from "./items.ts";

export type InputItem = OpenAI.Responses.ResponseInputItem;
type InputPart = OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage;

/** The model that receives the conversation. */
interface Target {
  model: Model;
  toId: (id: string) => string;
}

export class ResponsesInput implements Conversion {
  readonly items: InputItem[] = [];
  readonly #target: Target;

  constructor(model: Model) {
    this.#target = { model, toId: createToolCallIdMapper(wordIds(64)) };
  }

  add(message: ProviderMessage): void {
    if (message.role === "assistant") this.items.push(...toAssistantItems(message, this.#target));
    else if (message.role === "toolResult") this.items.push(toResultItem(message, this.#target));
    else this.items.push(...toInputMessage(message, this.#target));
  }
}

function toInputMessage(
  { role, content }: { role: "user" | "developer"; content: InputContent },
  { model }: Target,
): InputItem[] {
  const parts = toParts(typeof content === "string" ? [{ type: "text", text: content }] : content, model);
  if (parts.length === 0) return [];
  // Only user messages may contain images.
  if (!parts.every(isText)) return [{ role: "user", content: parts }];
  const isDeveloper = role === "developer" && model.compat?.supportsDeveloperRole !== false;
  return [{ role: isDeveloper ? "developer" : "user", content: joinText(parts) }];
}

function toAssistantItems(message: AssistantMessage, target: Target): InputItem[] {
  const { provider, api, id } = target.model;
  const isOwn = message.provider === provider && message.api === api && message.model === id;
  const replayed = isOwn ? replayItems(message.content, target) : undefined;
  return replayed ?? message.content.flatMap((block) => toPlainItem(block, target, isOwn));
}

/**
 * Returns the items as the model sent them. Returns undefined if some are gone, such as the thoughts of an aborted
 * answer: the API refuses an item whose reasoning is missing, so such an answer is sent back without ids and thoughts.
 */
function replayItems(content: readonly AssistantContent[], target: Target): InputItem[] | undefined {
  const items: InputItem[] = [];
  const reasoning = new Set<string>();
  for (const block of content) {
    if (block.type === "redactedThinking") continue; // from another API
    if (block.type === "thinking") {
      const item = readReasoning(block.thinkingSignature);
      if (!item) continue;
      reasoning.add(item.id);
      items.push(item);
      continue;
    }
    const link = readLink(block.type === "text" ? block.textSignature : block.thoughtSignature);
    if (!link || (link.after !== undefined && !reasoning.has(link.after))) return undefined;
    items.push(block.type === "text" ? toLinkedMessage(block.text, link) : toCallItem(block, target, link.id));
  }
  // The API refuses reasoning if its item does not follow.
  while (isReasoning(items.at(-1))) items.pop();
  return items;
}

function isReasoning(item: InputItem | undefined): boolean {
  return item !== undefined && "type" in item && item.type === "reasoning";
}

function toLinkedMessage(text: string, { id, phase }: ItemLink): InputItem {
  return {
    type: "message",
    role: "assistant",
    id,
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
    ...(phase && { phase }),
  };
}

function toPlainItem(block: AssistantContent, target: Target, isOwn: boolean): InputItem[] {
  if (block.type === "toolCall") return [toCallItem(block, target)];
  if (block.type !== "text" || block.text.trim() === "") return [];
  const phase = isOwn ? readLink(block.textSignature)?.phase : undefined;
  return [{ role: "assistant", content: block.text, ...(phase && { phase }) }];
}

function toCallItem({ id, name, arguments: args }: ToolCall, target: Target, itemId?: string): InputItem {
  return {
    type: "function_call",
    ...(itemId && { id: itemId }),
    call_id: target.toId(id),
    name,
    arguments: JSON.stringify(args),
  };
}

function toResultItem({ toolCallId, content }: ToolResultMessage, { model, toId }: Target): InputItem {
  const parts = toParts(content, model);
  const output = parts.every(isText) ? joinText(parts) || "(no output)" : parts;
  return { type: "function_call_output", call_id: toId(toolCallId), output };
}

function toParts(content: readonly (TextContent | ImageContent)[], model: Model): InputPart[] {
  return content.flatMap((block) => (block.type === "text" ? toText(block.text) : [toImage(block, model)]));
}

function toText(text: string): InputPart[] {
  return text.trim() === "" ? [] : [{ type: "input_text", text }];
}

function toImage(block: ImageContent, model: Model): InputPart {
  const image = toSendableImage(block, model);
  if ("leftOut" in image) return { type: "input_text", text: image.leftOut };
  return { type: "input_image", detail: "auto", image_url: `data:${image.mediaType};base64,${image.data}` };
}

function isText(part: InputPart): part is OpenAI.Responses.ResponseInputText {
  return part.type === "input_text";
}

function joinText(parts: readonly OpenAI.Responses.ResponseInputText[]): string {
  return parts.map(({ text }) => text).join("\n");
}
