import { ProviderError } from "../errors.ts";
import type { MessageBuilder } from "../message-builder.ts";
import type { Model } from "../model.ts";
import { ownEntry, textOf } from "../protocols/wire-values.ts";
import { isValidationError } from "./bridge-errors.ts";
import { readUsage, type SdkUsage } from "./bridge-usage.ts";
import type { LanguageModel } from "./language-model.ts";

interface Part {
  type?: string;
  id?: unknown;
  delta?: unknown;
  toolCallId?: unknown;
  toolName?: unknown;
  input?: unknown;
  providerExecuted?: unknown;
  providerMetadata?: unknown;
  usage?: SdkUsage | null;
  finishReason?: unknown;
  error?: unknown;
}

interface OpenBlock {
  contentIndex: number;
  metadata: object;
  /** What has been appended to a tool call. */
  input: string;
  toolName: unknown;
  /**
   * Set if another call with the same id began before this one was complete: the owner of later parts is then unknown.
   */
  isAmbiguous: boolean;
}

type Kind = "text" | "thinking" | "toolCall";

/**
 * Turns the parts of a package's stream into blocks. Ignores what the model did on the vendor's side (built-in tools,
 * files, sources), raw data, and part types of later versions.
 */
export class BridgeDecoder {
  readonly #model: Model;
  readonly #provider: string;
  readonly #out: MessageBuilder;
  readonly #open = new Map<string, OpenBlock>();
  #calls = 0;
  #warning: unknown;

  constructor(model: Model, { provider }: Pick<LanguageModel, "provider">, out: MessageBuilder) {
    this.#model = model;
    this.#provider = provider;
    this.#out = out;
  }

  /** Throws the error that the package reports. */
  part(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const part: Part = value;
    ownEntry(this.#handlers, part.type)?.(part);
  }

  /** Called at the end of the stream. */
  end(): void {
    if (!this.#out.isFinished) throw this.#warning ?? truncated();
  }

  readonly #handlers: Record<string, (part: Part) => void> = {
    "stream-start": () => this.#out.start(),
    "response-metadata": ({ id }) => {
      if (typeof id === "string" && id !== "") this.#out.setResponseId(id);
    },
    "text-start": (part) => this.#start("text", part),
    "text-delta": (part) => this.#delta("text", part),
    "text-end": (part) => this.#end("text", part),
    "reasoning-start": (part) => this.#start("thinking", part),
    "reasoning-delta": (part) => this.#delta("thinking", part),
    "reasoning-end": (part) => this.#end("thinking", part),
    "tool-input-start": (part) => {
      if (!part.providerExecuted) this.#start("toolCall", part);
    },
    "tool-input-delta": (part) => this.#delta("toolCall", part),
    // The call itself follows, with the data that must be sent back.
    "tool-call": (part) => {
      if (!part.providerExecuted) this.#call(part);
    },
    finish: (part) => this.#finish(part),
    error: ({ error }) => {
      if (!isValidationError(error)) throw error;
      this.#warning = error;
    },
  };

  #start(kind: Kind, part: Part): void {
    const id = textOf(part.id);
    const other = kind === "toolCall" ? this.#open.get(`${kind} ${id}`) : undefined;
    if (other) {
      other.isAmbiguous = true; // The call that follows has the whole input.
      return;
    }
    const contentIndex = this.#add(kind, part, id);
    const { toolName } = part;
    const metadata = toMetadata(part);
    this.#open.set(`${kind} ${id}`, { contentIndex, metadata, input: "", toolName, isAmbiguous: false });
  }

  #add(kind: Kind, { toolName }: Part, id: string): number {
    if (kind === "text") return this.#out.startText();
    if (kind === "thinking") return this.#out.startThinking();
    if (typeof toolName !== "string" || toolName === "")
      throw new ProviderError("protocol", "The provider package sent a tool call without a name");
    this.#calls += 1;
    return this.#out.startToolCall({ id: id || `call_${this.#calls}`, name: toolName });
  }

  #delta(kind: Kind, part: Part): void {
    const open = this.#open.get(`${kind} ${textOf(part.id)}`);
    if (!open || open.isAmbiguous) return;
    if (part.providerMetadata) open.metadata = { ...open.metadata, ...toMetadata(part) };
    if (kind === "toolCall") open.input += textOf(part.delta);
    this.#out.append(open.contentIndex, textOf(part.delta));
  }

  #end(kind: Kind, part: Part): void {
    const key = `${kind} ${textOf(part.id)}`;
    const open = this.#open.get(key);
    if (!open) return;
    this.#open.delete(key);
    const metadata = { ...open.metadata, ...toMetadata(part) };
    if (Object.keys(metadata).length > 0) this.#out.sign(open.contentIndex, JSON.stringify(metadata));
    this.#out.end(open.contentIndex);
  }

  #call(part: Part): void {
    const id = textOf(part.toolCallId);
    const key = `toolCall ${id}`;
    const other = this.#open.get(key);
    if (other?.isAmbiguous && other.toolName !== part.toolName) {
      this.#wholeCall({ ...part, id });
      return;
    }
    if (!other) this.#start("toolCall", { ...part, id });
    const open = this.#open.get(key);
    if (open) this.#complete(open, inputText(part.input));
    this.#end("toolCall", { ...part, id });
  }

  /** Keep what was streamed, unless parts of it may belong to another call. */
  #complete({ contentIndex, input, isAmbiguous }: OpenBlock, whole: string): void {
    const isPart = isAmbiguous && whole.startsWith(input);
    if (input === "" || isPart) this.#out.append(contentIndex, whole.slice(input.length));
  }

  /** A call that arrived whole while another one with the same id is open. */
  #wholeCall(part: Part & { id: string }): void {
    const contentIndex = this.#add("toolCall", part, part.id);
    this.#out.append(contentIndex, inputText(part.input));
    const metadata = toMetadata(part);
    if (Object.keys(metadata).length > 0) this.#out.sign(contentIndex, JSON.stringify(metadata));
    this.#out.end(contentIndex);
  }

  #finish({ usage, finishReason, providerMetadata }: Part): void {
    if (usage) this.#out.setUsage(readUsage(this.#model, this.#provider, usage, providerMetadata));
    const reason = toFinish(finishReason);
    if (reason === "failed")
      throw this.#warning ?? new ProviderError("server", "The provider ended the answer with an error");
    if (reason === "truncated") throw truncated();
    if (reason === "refused") throw new ProviderError("refused", "The provider's filter stopped the answer");
    this.#out.finish(reason === "stop" && this.#calls > 0 ? "toolUse" : reason);
  }
}

type Finish = "stop" | "length" | "toolUse" | "refused" | "failed" | "truncated";

const FINISHES: Record<string, Finish> = {
  stop: "stop",
  length: "length",
  "tool-calls": "toolUse",
  "content-filter": "refused",
  error: "failed",
  interrupted: "truncated",
  // Packages end their stream normally even if the vendor's was cut; only the finish reason is missing.
  unknown: "truncated",
  other: "stop",
};

/** A string in version 2; later versions add the vendor's own reason. */
function toFinish(reason: unknown): Finish {
  if (typeof reason !== "object" || reason === null) return ownEntry(FINISHES, textOf(reason)) ?? "truncated";
  const { unified, raw } = reason as { unified?: unknown; raw?: unknown };
  if (unified === "other" && (raw === undefined || raw === null)) return "truncated";
  return ownEntry(FINISHES, textOf(unified)) ?? "truncated";
}

function truncated(): ProviderError {
  return new ProviderError("truncated", "Provider stream ended before completion");
}

function toMetadata({ providerMetadata }: Part): object {
  return typeof providerMetadata === "object" && providerMetadata !== null ? providerMetadata : {};
}

function inputText(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}
