import type {
  AssistantMessage,
  ImageContent,
  InputContent,
  ProviderMessage,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
} from "../../messages.ts";
import type { Model } from "../../model.ts";
import type { Conversion } from "../../request-memory.ts";
import type { ResolvedCompat } from "../openai-compat.ts";
import { convertMessages, type ModelContext, type RequestOptions } from "../protocol.ts";
import { createToolCallIdMapper } from "../tool-call-ids.ts";
import {
  REASONING_FIELDS,
  type ReasoningField,
  type WireAssistant,
  type WireImage,
  type WireMessage,
  type WireText,
  type WireToolCall,
} from "./wire.ts";

/** Converts the conversation to the order that the API expects. */
export function toWireMessages(
  model: Model,
  context: ModelContext,
  compat: ResolvedCompat,
  options: RequestOptions,
): WireMessage[] {
  const conversation = convertMessages(model, context, options, () => new Conversation(model, compat));
  const { messages } = conversation;
  return context.systemPrompt ? [conversation.instructions(context.systemPrompt), ...messages] : [...messages];
}

function instructionRole(compat: ResolvedCompat): "developer" | undefined {
  return compat.supportsDeveloperRole ? "developer" : undefined;
}

class Conversation implements Conversion {
  readonly #model: Model;
  readonly #compat: ResolvedCompat;
  readonly #toWireId: (id: string) => string;
  readonly #wire: WireMessage[] = [];
  /** Images of the last converted tool results; the role `tool` cannot contain them. */
  #imagesOfResults: (WireText | WireImage)[] = [];
  #instructions: WireMessage | undefined;

  constructor(model: Model, compat: ResolvedCompat) {
    this.#model = model;
    this.#compat = compat;
    this.#toWireId = createToolCallIdMapper(compat.toolCallIds);
  }

  /** Returns the same message while the text is the same. */
  instructions(content: string): WireMessage {
    if (this.#instructions?.content !== content) {
      this.#instructions = { role: instructionRole(this.#compat) ?? "system", content };
    }
    return this.#instructions;
  }

  /** All messages, including the images that more results might still precede. */
  get messages(): readonly WireMessage[] {
    if (this.#imagesOfResults.length === 0) return this.#wire;
    const end: WireMessage = { role: "user", content: this.#imagesOfResults };
    return this.#needsBridge ? [...this.#wire, BRIDGE, end] : [...this.#wire, end];
  }

  add(message: ProviderMessage): void {
    // Only after all results of a turn: a message in between would separate a call from its result.
    if (message.role !== "toolResult") this.#flushImages();
    if (message.role === "assistant") this.#addAssistant(message);
    else if (message.role === "toolResult") this.#addToolResult(message);
    else if (message.role === "developer") this.#addInput(instructionRole(this.#compat) ?? "user", message.content);
    else this.#addInput("user", message.content);
  }

  #addInput(role: "user" | "developer", content: InputContent): void {
    const text = onlyText(content);
    if (text !== undefined) {
      if (text.trim() === "") return;
      this.#bridgeToolResults();
      this.#wire.push({ role, content: text });
      return;
    }
    const parts = this.#toParts(typeof content === "string" ? [] : content);
    if (parts.length === 0) return;
    this.#bridgeToolResults();
    // Uses a plain string if possible, because not every local server accepts a list of parts. Only user messages may
    // contain images.
    if (parts.every(isTextPart)) this.#wire.push({ role, content: joinText(parts) });
    else this.#wire.push({ role: "user", content: parts });
  }

  #addAssistant(message: AssistantMessage): void {
    const { provider, api, id } = this.#model;
    const isOwn = message.provider === provider && message.api === api && message.model === id;
    const texts: string[] = [];
    const thoughts: ThinkingContent[] = [];
    const calls: WireToolCall[] = [];
    for (const block of message.content) {
      if (block.type === "text" && block.text.trim() !== "") texts.push(block.text);
      else if (block.type === "thinking") thoughts.push(block);
      else if (block.type === "toolCall") calls.push(this.#toWireCall(block, isOwn));
    }
    if (this.#compat.requiresThinkingAsText) {
      texts.unshift(...thoughts.map(({ thinking }) => thinking).filter((thinking) => thinking.trim() !== ""));
    }
    if (texts.length === 0 && calls.length === 0) return;
    // Our own answer was one string interrupted by a thought; blocks of other APIs are paragraphs.
    const glue = isOwn && !this.#compat.requiresThinkingAsText ? "" : "\n\n";
    this.#wire.push({
      role: "assistant",
      content: texts.length > 0 ? texts.join(glue) : null,
      ...this.#toReasoning(isOwn ? thoughts : []),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }

  #toReasoning(thoughts: readonly ThinkingContent[]): Partial<WireAssistant> {
    const isReplayed = thoughts.length > 0 && !this.#compat.requiresThinkingAsText;
    const reasoning = isReplayed ? replayedReasoning(thoughts) : {};
    if (!this.#compat.requiresReasoningContentOnAssistantMessages) return reasoning;
    return { reasoning_content: "", ...reasoning };
  }

  #toWireCall(call: ToolCall, isOwn: boolean): WireToolCall {
    return {
      id: this.#toWireId(call.id),
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      ...(isOwn &&
        call.thoughtSignature && { extra_content: { google: { thought_signature: call.thoughtSignature } } }),
    };
  }

  #addToolResult(result: ToolResultMessage): void {
    const parts = this.#toParts(result.content);
    const images = parts.filter((part) => part.type === "image_url");
    const text = joinText(parts.filter(isTextPart));
    this.#wire.push({
      role: "tool",
      tool_call_id: this.#toWireId(result.toolCallId),
      ...(this.#compat.requiresToolResultName && { name: result.toolName }),
      content: text || (images.length > 0 ? "(the image follows)" : "(no output)"),
    });
    if (images.length > 0) {
      this.#imagesOfResults.push({ type: "text", text: `Image from the result of ${result.toolName}:` }, ...images);
    }
  }

  #flushImages(): void {
    if (this.#imagesOfResults.length === 0) return;
    this.#bridgeToolResults();
    this.#wire.push({ role: "user", content: this.#imagesOfResults });
    this.#imagesOfResults = [];
  }

  #bridgeToolResults(): void {
    if (this.#needsBridge) this.#wire.push(BRIDGE);
  }

  get #needsBridge(): boolean {
    return this.#compat.requiresAssistantAfterToolResult && this.#wire.at(-1)?.role === "tool";
  }

  #toParts(content: readonly (TextContent | ImageContent)[]): (WireText | WireImage)[] {
    return content.flatMap((block): (WireText | WireImage)[] => {
      if (block.type === "text") return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
      if (!this.#model.input.includes("image")) return [{ type: "text", text: IMAGE_LEFT_OUT }];
      return [{ type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } }];
    });
  }
}

/** Some chat templates refuse a user message directly after a tool result. */
const BRIDGE: WireMessage = { role: "assistant", content: "I have the tool results." };

const IMAGE_LEFT_OUT = "[An image was left out: this model does not take images.]";

/** `thinkingSignature` records where a thought came from: the name of a field, or OpenRouter's items as JSON. */
function replayedReasoning(thoughts: readonly ThinkingContent[]): Partial<WireAssistant> {
  const details = thoughts.flatMap(({ thinkingSignature }) => parseDetails(thinkingSignature));
  if (details.length > 0) return { reasoning_details: details };
  const fields: Partial<Record<ReasoningField, string>> = {};
  for (const { thinking, thinkingSignature } of thoughts) {
    const field = REASONING_FIELDS.find((name) => name === thinkingSignature);
    if (field && thinking !== "") fields[field] = (fields[field] ?? "") + thinking;
  }
  return fields;
}

function parseDetails(signature = ""): unknown[] {
  if (!signature.startsWith("[")) return [];
  try {
    return JSON.parse(signature) as unknown[];
  } catch (error) {
    if (error instanceof SyntaxError) return []; // Written by another program: the thought is lost, the session is not.
    throw error;
  }
}

function isTextPart(part: WireText | WireImage): part is WireText {
  return part.type === "text";
}

/** Returns the text of content that consists of one, as nearly all does. */
function onlyText(content: InputContent): string | undefined {
  if (typeof content === "string") return content;
  const [block] = content;
  return content.length === 1 && block?.type === "text" ? block.text : undefined;
}

function joinText(parts: readonly WireText[]): string {
  return parts.map(({ text }) => text).join("\n");
}
