import type { AssistantContent, AssistantMessage, ImageContent, InputContent, ProviderMessage } from "../messages.ts";
import type { Model } from "../model.ts";
import { createToolCallIdMapper, wordIds } from "../protocols/tool-call-ids.ts";
import type { LanguageModel } from "./language-model.ts";

/** Vendor fields by vendor: metadata of an answer is sent back as options. */
export type ProviderOptions = Record<string, Record<string, unknown>>;

interface Part {
  type: string;
  providerOptions?: ProviderOptions;
  [field: string]: unknown;
}

export interface PromptMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | Part[];
  providerOptions?: ProviderOptions;
}

/**
 * Converts the conversation to the SDK's format. Images of tool results follow in a user message, which every version
 * supports.
 */
export function toPrompt(
  messages: readonly ProviderMessage[],
  model: Model,
  { specificationVersion }: Pick<LanguageModel, "specificationVersion">,
): PromptMessage[] {
  const toId = createToolCallIdMapper(wordIds(64));
  const prompt: PromptMessage[] = [];
  let images: Part[] = [];
  const push = (role: PromptMessage["role"], content: Part[]) => {
    const last = prompt.at(-1);
    if (content.length === 0) return;
    if (last?.role === role && Array.isArray(last.content)) last.content.push(...content);
    else prompt.push({ role, content });
  };
  const toInput = (content: InputContent) => toInputParts(content, model, specificationVersion);

  for (const message of messages) {
    if (message.role === "toolResult") {
      const parts = toInput(message.content);
      const pictures = parts.filter(({ type }) => type === "file");
      const said = parts.flatMap(({ text }) => (typeof text === "string" ? text : [])).join("\n");
      const value = said || (pictures.length > 0 ? "(see the image)" : "(no output)");
      const output = { type: message.isError ? "error-text" : "text", value };
      push("tool", [{ type: "tool-result", toolCallId: toId(message.toolCallId), toolName: message.toolName, output }]);
      if (pictures.length > 0) images.push(textPart(`Image from the result of ${message.toolName}:`), ...pictures);
      continue;
    }
    push("user", images);
    images = [];
    if (message.role === "assistant") push("assistant", toAssistantParts(message, model, toId));
    else push("user", toInput(message.content));
  }
  push("user", images);
  return prompt;
}

/** Only the model that wrote a signed thought can use it; other models do not get it. */
function toAssistantParts(message: AssistantMessage, model: Model, toId: (id: string) => string): Part[] {
  const isOwn = message.provider === model.provider && message.api === model.api && message.model === model.id;
  return message.content.flatMap((block): Part[] => {
    const signature = isOwn ? readSignature(block) : undefined;
    const signed = signature && { providerOptions: signature };
    if (block.type === "text") return block.text.trim() === "" ? [] : [{ ...textPart(block.text), ...signed }];
    if (block.type === "toolCall") {
      const call = { toolCallId: toId(block.id), toolName: block.name, input: block.arguments };
      return [{ type: "tool-call", ...call, ...signed }];
    }
    return block.type === "thinking" && signed ? [{ type: "reasoning", text: block.thinking, ...signed }] : [];
  });
}

function readSignature(block: AssistantContent): ProviderOptions | undefined {
  const json =
    block.type === "text"
      ? block.textSignature
      : block.type === "thinking"
        ? block.thinkingSignature
        : block.type === "toolCall"
          ? block.thoughtSignature
          : undefined;
  try {
    const value: unknown = JSON.parse(json ?? "null");
    return typeof value === "object" && value !== null ? (value as ProviderOptions) : undefined;
  } catch {
    return undefined; // From a session file that was edited by hand.
  }
}

function toInputParts(content: InputContent, model: Model, version: LanguageModel["specificationVersion"]): Part[] {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return blocks.flatMap((block): Part[] => {
    if (block.type === "image") return [toFile(block, model, version)];
    return block.text.trim() === "" ? [] : [textPart(block.text)];
  });
}

function toFile({ data, mimeType }: ImageContent, model: Model, version: LanguageModel["specificationVersion"]): Part {
  if (!model.input.includes("image")) return textPart("(an image was left out: this model takes only text)");
  return { type: "file", mediaType: mimeType, data: version === "v4" ? { type: "data", data } : data };
}

function textPart(text: string): Part {
  return { type: "text", text };
}
