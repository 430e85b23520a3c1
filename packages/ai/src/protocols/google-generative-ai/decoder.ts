import type { GenerateContentResponse, GenerateContentResponseUsageMetadata, Part } from "@google/genai";
import { ProviderError } from "../../errors.ts";
import type { MessageBuilder } from "../../message-builder.ts";
import type { Usage } from "../../messages.ts";
import type { Model } from "../../model.ts";
import type { ServerEvent } from "../../transport/sse.ts";
import { toUsage } from "../../usage.ts";
import type { Decoder } from "../protocol.ts";
import { notAnObject, parseObject, tokenCount } from "../wire-values.ts";
import { toBlockError, toFinish, toGoogleError } from "./errors.ts";

// The SDK's types describe what the vendor sends today. Any field may be missing in practice, hence the guards.
type Chunk = Partial<
  Pick<GenerateContentResponse, "candidates" | "promptFeedback" | "responseId" | "usageMetadata">
> & {
  error?: unknown;
};
type ProseKind = "text" | "thinking";

export class GoogleDecoder implements Decoder {
  readonly #model: Model;
  readonly #out: MessageBuilder;
  #prose: { kind: ProseKind; contentIndex: number } | undefined;
  #responseId = "";
  #calls = 0;
  #finish: "stop" | "length" | undefined;
  /** Some servers send a finish reason with every chunk. It ends the answer only if an earlier chunk had none. */
  #sawOpenChunk = false;

  constructor(model: Model, out: MessageBuilder) {
    this.#model = model;
    this.#out = out;
  }

  get isComplete(): boolean {
    return this.#finish !== undefined;
  }

  event({ data }: ServerEvent): void {
    const chunk = parseChunk(data);
    if (!chunk) return;
    if (chunk.error) throw toGoogleError(chunk.error);
    this.#begin(chunk);
    if (chunk.usageMetadata) this.#out.setUsage(readUsage(this.#model, chunk.usageMetadata));
    const candidate = Array.isArray(chunk.candidates) ? chunk.candidates[0] : undefined;
    const parts = candidate?.content?.parts;
    const hasParts = Array.isArray(parts) && parts.length > 0;
    if (hasParts) this.#addParts(parts);
    const reason: unknown = candidate?.finishReason;
    if (typeof reason === "string" && reason !== "") {
      this.#finish = toFinish(reason, candidate?.finishMessage);
      if (this.#sawOpenChunk && chunk.usageMetadata) this.#complete();
    } else if (hasParts) {
      this.#sawOpenChunk = true;
      this.#finish = undefined;
    } else if (this.isComplete && chunk.usageMetadata) this.#complete();
  }

  end(): void {
    if (!this.isComplete) throw new ProviderError("truncated", "Provider stream ended before completion");
    this.#complete();
  }

  #begin({ responseId, promptFeedback }: Chunk): void {
    this.#out.start();
    if (this.#responseId === "" && typeof responseId === "string" && responseId !== "") {
      this.#responseId = responseId;
      this.#out.setResponseId(responseId);
    }
    const blocked: unknown = promptFeedback?.blockReason;
    if (typeof blocked === "string" && blocked !== "") throw toBlockError(blocked, promptFeedback?.blockReasonMessage);
  }

  #addParts(parts: readonly (Part | null)[]): void {
    for (const part of parts) {
      if (typeof part !== "object" || part === null) continue;
      const { text, functionCall, thoughtSignature } = part;
      const signature = typeof thoughtSignature === "string" ? thoughtSignature : "";
      if (functionCall) {
        this.#addCall(functionCall, signature);
        continue;
      }
      if (typeof text === "string" && text !== "") this.#append(part.thought ? "thinking" : "text", text);
      // A part may contain only the signature of the preceding content.
      if (signature !== "" && this.#prose) this.#out.sign(this.#prose.contentIndex, signature);
    }
  }

  #append(kind: ProseKind, text: string): void {
    if (this.#prose?.kind !== kind) {
      this.#endProse();
      const contentIndex = kind === "text" ? this.#out.startText() : this.#out.startThinking();
      this.#prose = { kind, contentIndex };
    }
    this.#out.append(this.#prose.contentIndex, text);
  }

  /** Calls arrive whole. If the server sends no id, derive one that a repetition of the same answer would also get. */
  #addCall({ id, name, args }: NonNullable<Part["functionCall"]>, thoughtSignature: string): void {
    if (typeof name !== "string" || name === "")
      throw new ProviderError("protocol", "The server sent a tool call without a name");
    this.#endProse();
    this.#calls += 1;
    const ownId = `${this.#responseId || "call"}_${this.#calls}`;
    const contentIndex = this.#out.startToolCall({
      id: typeof id === "string" && id !== "" ? id : ownId,
      name,
      ...(thoughtSignature !== "" && { thoughtSignature }),
    });
    this.#out.append(contentIndex, typeof args === "string" ? args : JSON.stringify(args ?? {}));
    this.#out.end(contentIndex);
  }

  /** Text and thoughts end when another block begins. */
  #endProse(): void {
    if (this.#prose) this.#out.end(this.#prose.contentIndex);
    this.#prose = undefined;
  }

  #complete(): void {
    const reason = this.#finish ?? "stop";
    this.#out.finish(reason === "stop" && this.#calls > 0 ? "toolUse" : reason);
  }
}

/** The prompt count includes tokens read from the cache. Thoughts are billed as output but counted separately. */
function readUsage(model: Model, usage: GenerateContentResponseUsageMetadata): Usage {
  const prompt = tokenCount(usage.promptTokenCount) + tokenCount(usage.toolUsePromptTokenCount);
  const cacheRead = tokenCount(usage.cachedContentTokenCount);
  const candidates = tokenCount(usage.candidatesTokenCount);
  const thoughts = tokenCount(usage.thoughtsTokenCount);
  // Some gateways include thoughts in the candidates' tokens; the total reveals it.
  const areThoughtsIncluded = thoughts > 0 && tokenCount(usage.totalTokenCount) === prompt + candidates;
  return toUsage(model, {
    input: Math.max(0, prompt - cacheRead),
    output: candidates + (areThoughtsIncluded ? 0 : thoughts),
    cacheRead,
    cacheWrite: 0,
    reasoning: thoughts,
  });
}

function parseChunk(data: string): Chunk | undefined {
  if (data === "" || data === "[DONE]") return undefined;
  const chunk = parseObject(data);
  if (!chunk) throw notAnObject(data);
  return chunk;
}
