import type { Content, Part } from "@google/genai";
import type {
  AssistantContent,
  AssistantMessage,
  ImageContent,
  InputContent,
  ProviderMessage,
  TextContent,
  ToolResultMessage,
} from "../../messages.ts";
import type { Model } from "../../model.ts";
import type { Conversion } from "../../request-memory.ts";
import { toSendableImage } from "../sendable-image.ts";
import { createToolCallIdMapper, wordIds } from "../tool-call-ids.ts";

interface Turn extends Content {
  role: "user" | "model";
  parts: Part[];
}

/** Replaces the signature of a call that this model did not make, as the API documents. */
const NO_SIGNATURE = "skip_thought_signature_validator";

const OPENING: Turn = { role: "user", parts: [note("the conversation continues")] };

/** Converts the conversation to what the API expects: the user begins and ends it, and sides alternate. */
export class GoogleConversation implements Conversion {
  readonly #model: Model;
  readonly #isGemini3: boolean;
  readonly #toId = createToolCallIdMapper(wordIds(64));
  readonly #turns: Turn[] = [];
  /** Images of the last converted tool results, for models whose function responses cannot contain them. */
  #imagesOfResults: Part[] = [];
  /** By call id: a result names the tool that ran, which may differ from the one that was called. */
  readonly #calledNames = new Map<string, string>();

  constructor(model: Model) {
    this.#model = model;
    this.#isGemini3 = isGemini3(model.id);
  }

  add(message: ProviderMessage): void {
    if (message.role === "toolResult") {
      this.#addToolResult(message);
      return;
    }
    this.#flushImages();
    if (message.role === "assistant") this.#push("model", this.#toModelParts(message));
    else this.#push("user", this.#toInputParts(message.content));
  }

  /** Everything so far, as a request sends it: what follows could still precede some of its end. */
  get contents(): Content[] {
    const turns = [...this.#turns];
    const last = turns.at(-1);
    const end = this.#imagesOfResults;
    if (end.length > 0 && last && continues(last, "user", end)) {
      turns[turns.length - 1] = { role: "user", parts: [...last.parts, ...end] };
    } else if (end.length > 0) turns.push({ role: "user", parts: end });
    if (turns[0]?.role === "model") turns.unshift(OPENING);
    if (turns.at(-1)?.role === "model") turns.push({ role: "user", parts: [note("go on")] });
    return turns;
  }

  /** Function responses stay alone in their turn, which must have as many parts as there were calls. */
  #push(role: Turn["role"], parts: Part[]): void {
    if (parts.length === 0) return;
    const last = this.#turns.at(-1);
    if (last && continues(last, role, parts)) last.parts.push(...parts);
    else this.#turns.push({ role, parts });
  }

  #toModelParts(message: AssistantMessage): Part[] {
    const { provider, api, id } = this.#model;
    const isOwn = message.provider === provider && message.api === api && message.model === id;
    const parts = message.content.flatMap((block) => this.#toModelPart(block, isOwn));
    const firstCall = parts.find((part) => part.functionCall);
    // One signature, on the first call, covers all calls of an answer.
    if (this.#isGemini3 && firstCall) firstCall.thoughtSignature ??= NO_SIGNATURE;
    return parts;
  }

  /** Only the model that wrote a signature can use it, and thoughts are useless without one. */
  #toModelPart(block: AssistantContent, isOwn: boolean): Part[] {
    if (block.type === "text") {
      return block.text.trim() === "" ? [] : [{ text: block.text, ...signed(block.textSignature, isOwn) }];
    }
    if (block.type === "toolCall") {
      const functionCall = { id: this.#toId(block.id), name: block.name, args: block.arguments };
      this.#calledNames.set(block.id, block.name);
      return [{ functionCall, ...signed(block.thoughtSignature, isOwn) }];
    }
    if (block.type === "redactedThinking" || block.thinking === "") return [];
    const signature = signed(block.thinkingSignature, isOwn);
    return signature.thoughtSignature ? [{ text: block.thinking, thought: true, ...signature }] : [];
  }

  #addToolResult({ toolCallId, toolName, content, isError }: ToolResultMessage): void {
    const parts = this.#toInputParts(content);
    const images = parts.flatMap(({ inlineData }) => (inlineData ? [{ inlineData }] : []));
    const said = parts.flatMap(({ text }) => text ?? []).join("\n");
    const text = said || (images.length > 0 ? "(see the image)" : "(no output)");
    const functionResponse = {
      id: this.#toId(toolCallId),
      name: this.#calledNames.get(toolCallId) ?? toolName,
      response: isError ? { error: text } : { output: text },
      ...(this.#isGemini3 && images.length > 0 && { parts: images }),
    };
    this.#push("user", [{ functionResponse }]);
    if (!this.#isGemini3 && images.length > 0) {
      this.#imagesOfResults.push({ text: `Image from the result of ${toolName}:` }, ...images);
    }
  }

  #flushImages(): void {
    this.#push("user", this.#imagesOfResults);
    this.#imagesOfResults = [];
  }

  #toInputParts(content: InputContent): Part[] {
    const blocks: readonly (TextContent | ImageContent)[] =
      typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks.flatMap((block): Part[] => {
      if (block.type === "image") return [toImage(block, this.#model)];
      return block.text.trim() === "" ? [] : [{ text: block.text }];
    });
  }
}

function continues(last: Turn, role: Turn["role"], parts: readonly Part[]): boolean {
  return last.role === role && isResponse(last.parts[0]) === isResponse(parts[0]);
}

function isResponse(part: Part | undefined): boolean {
  return part?.functionResponse !== undefined;
}

/** Base64 in either alphabet; anything else would make every later request of the session fail. */
const SIGNATURE = /^[A-Za-z0-9+/_-]+={0,2}$/;

function signed(signature: string | undefined, isOwn: boolean): Pick<Part, "thoughtSignature"> {
  return isOwn && signature !== undefined && SIGNATURE.test(signature) ? { thoughtSignature: signature } : {};
}

/** GIF is not supported. */
const MEDIA_TYPES = ["image/jpeg", "image/png", "image/webp"] as const;

function toImage(block: ImageContent, model: Model): Part {
  const image = toSendableImage(block, model, MEDIA_TYPES);
  return "leftOut" in image ? { text: image.leftOut } : { inlineData: { mimeType: image.mediaType, data: image.data } };
}

function note(text: string): Part {
  return { text: `(${text})` };
}

/** Gemini 3 and later check thought signatures and accept images inside a function response. */
function isGemini3(modelId: string): boolean {
  const generation = /gemini-(\d+)/.exec(modelId)?.[1];
  // Aliases such as `gemini-flash-latest` name the current model.
  return generation === undefined ? /gemini-.*latest$/.test(modelId) : Number(generation) >= 3;
}
