import type Anthropic from "@anthropic-ai/sdk";
import type {
  AssistantContent,
  AssistantMessage,
  ImageContent,
  InputContent,
  ProviderMessage,
  ToolResultMessage,
} from "../../messages.ts";
import type { Model } from "../../model.ts";
import type { Conversion } from "../../request-memory.ts";
import { toSendableImage } from "../sendable-image.ts";
import { createToolCallIdMapper, wordIds } from "../tool-call-ids.ts";

type Block = Anthropic.ContentBlockParam;
type InputBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

/** One API message: everything one side says before the other one does. */
export interface Turn {
  role: "user" | "assistant";
  content: Block[];
}

/** The model that receives the conversation. */
interface Target {
  model: Model;
  toId: (id: string) => string;
}

/** Roles alternate and the user begins. The API refuses blank text, so empty blocks are left out. */
export class AnthropicConversation implements Conversion {
  readonly #target: Target;
  /** Turns in the order they were added; only the last one can grow. */
  readonly #added: Turn[] = [];
  readonly #ordered: Turn[] = [];
  #previousEnd = -1;

  constructor(model: Model) {
    this.#target = { model, toId: createToolCallIdMapper(wordIds(64)) };
  }

  get turns(): readonly Turn[] {
    for (let index = this.#ordered.length; index < this.#added.length - 1; index += 1) {
      this.#ordered.push(inOrder(this.#added[index]!));
    }
    return [...this.#ordered, ...this.#added.slice(this.#ordered.length).map(inOrder)];
  }

  /** The turn that ended the previous request, judging by the model's answers; -1 if there is none. */
  get previousEnd(): number {
    return this.#previousEnd;
  }

  add(message: ProviderMessage): void {
    const { role, content } = toTurn(message, this.#target);
    if (content.length === 0) return;
    const added = this.#added;
    if (role === "assistant" && added.length === 0) {
      added.push({ role: "user", content: [note("the conversation continues")] });
    }
    const last = added.at(-1);
    if (last?.role === role) last.content.push(...content);
    else added.push({ role, content });
    if (message.role === "assistant" && isOwn(message, this.#target.model)) this.#previousEnd = added.length - 2;
  }
}

function inOrder(turn: Turn): Turn {
  return turn.role === "user" ? { role: "user", content: resultsFirst(turn.content) } : turn;
}

function toTurn(message: ProviderMessage, target: Target): Turn {
  if (message.role === "assistant") return { role: "assistant", content: toAssistantBlocks(message, target) };
  if (message.role === "toolResult") return { role: "user", content: toResultBlocks(message, target) };
  return { role: "user", content: toInputBlocks(message.content, target) };
}

/** Results must directly follow their calls; user messages sent meanwhile come after them. */
function resultsFirst(content: Block[]): Block[] {
  const isResult = (block: Block) => block.type === "tool_result";
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

function toAssistantBlocks(message: AssistantMessage, target: Target): Block[] {
  const origin = isOwn(message, target.model) ? "own" : "foreign";
  return message.content.flatMap((block) => toAssistantBlock(block, target, origin));
}

function isOwn(message: AssistantMessage, model: Model): boolean {
  return message.provider === model.provider && message.api === model.api && message.model === model.id;
}

/** Only the model that wrote signed or hidden reasoning can use it. */
function toAssistantBlock(block: AssistantContent, target: Target, origin: "own" | "foreign"): Block[] {
  if (block.type === "text") return toText(block.text);
  if (block.type === "toolCall")
    return [{ type: "tool_use", id: target.toId(block.id), name: block.name, input: block.arguments }];
  if (block.type === "redactedThinking")
    return origin === "own" ? [{ type: "redacted_thinking", data: block.data }] : [];
  const { thinking, thinkingSignature } = block;
  // A model that hides its thoughts signs an empty string, which must be sent back as well.
  if (origin === "own" && thinkingSignature) return [{ type: "thinking", thinking, signature: thinkingSignature }];
  return toText(thinking);
}

function toResultBlocks(message: ToolResultMessage, target: Target): Block[] {
  const content = toInputBlocks(message.content, target);
  const head = { type: "tool_result", tool_use_id: target.toId(message.toolCallId) } as const;
  if (!message.isError) return [{ ...head, content: orNoOutput(content) }];
  // The API accepts only text in an error result, so images follow it.
  const texts = content.filter((block) => block.type === "text");
  const images = content.filter((block) => block.type === "image");
  return [{ ...head, is_error: true, content: orNoOutput(texts) }, ...images];
}

function orNoOutput<T extends InputBlock>(content: T[]): (T | Anthropic.TextBlockParam)[] {
  return content.length > 0 ? content : [note("no output")];
}

function toInputBlocks(content: InputContent, target: Target): InputBlock[] {
  if (typeof content === "string") return toText(content);
  return content.flatMap((block) => (block.type === "text" ? toText(block.text) : [toImage(block, target)]));
}

function toText(text: string): Anthropic.TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toImage(block: ImageContent, { model }: Target): InputBlock {
  const image = toSendableImage(block, model);
  if ("leftOut" in image) return { type: "text", text: image.leftOut };
  return { type: "image", source: { type: "base64", media_type: image.mediaType, data: image.data } };
}

function note(text: string): Anthropic.TextBlockParam {
  return { type: "text", text: `(${text})` };
}
