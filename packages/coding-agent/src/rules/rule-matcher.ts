import type { AssistantUpdateEvent, ToolCall } from "@pintle/ai";
import type { WatchedStream } from "./rule-scope.ts";
import { StreamText } from "./stream-text.ts";
import { pathsIn } from "./tool-paths.ts";
import type { WatchedRule } from "./watched-rule.ts";

export interface RuleHit {
  rule: WatchedRule;
  stream: WatchedStream;
  /** Of the tool whose arguments matched. */
  toolCallId?: string;
}

type Delta = Extract<AssistantUpdateEvent, { delta: string }>;
type End = Extract<AssistantUpdateEvent, { type: "text_end" | "thinking_end" | "toolcall_end" }>;

/** Finds rules in one assistant message while it streams. Each rule is found once per block. */
export class RuleMatcher {
  readonly #rules: readonly WatchedRule[];
  readonly #cwd: string;
  readonly #texts = new Map<number, StreamText>();
  readonly #found = new Map<number, Set<WatchedRule>>();

  constructor(rules: readonly WatchedRule[], cwd: string) {
    this.#rules = rules;
    this.#cwd = cwd;
  }

  read(event: AssistantUpdateEvent): RuleHit[] {
    if ("delta" in event) return this.#textOf(event.contentIndex).append(event.delta) ? this.#try(event, false) : [];
    if (event.type === "toolcall_end") return this.#endCall(event);
    return event.type === "text_end" || event.type === "thinking_end" ? this.#try(event, true) : [];
  }

  /** What was written as JSON is looked at once more as the texts it stands for. */
  #endCall(event: End & { toolCall: ToolCall }): RuleHit[] {
    const hits = this.#try(event, true);
    const plain = new StreamText(this.#rules.flatMap(({ patterns }) => patterns));
    plain.append(textsIn(event.toolCall.arguments).join("\n"));
    return [...hits, ...this.#search(event, plain, true)];
  }

  #try(event: Delta | End, isFinal: boolean): RuleHit[] {
    const text = this.#textOf(event.contentIndex);
    const hits = this.#search(event, text, isFinal);
    text.tried();
    return hits;
  }

  #search(event: Delta | End, text: StreamText, isFinal: boolean): RuleHit[] {
    const { contentIndex } = event;
    const found = this.#found.get(contentIndex) ?? new Set();
    this.#found.set(contentIndex, found);
    const stream = this.#streamOf(event);
    const hits = this.#rules.filter(
      (rule) =>
        !found.has(rule) &&
        rule.scope.matches(stream) &&
        rule.patterns.some((pattern) => text.matches(pattern, isFinal)),
    );
    for (const rule of hits) found.add(rule);
    const toolCallId = callOf(event)?.id;
    return hits.map((rule) => ({ rule, stream, ...(toolCallId !== undefined && { toolCallId }) }));
  }

  #streamOf(event: Delta | End): WatchedStream {
    const call = callOf(event);
    if (call) return { kind: "tool", toolName: call.name, paths: pathsIn(call.arguments, this.#cwd) };
    return { kind: event.type.startsWith("thinking") ? "thinking" : "text" };
  }

  #textOf(contentIndex: number): StreamText {
    let text = this.#texts.get(contentIndex);
    if (!text) {
      text = new StreamText(this.#rules.flatMap(({ patterns }) => patterns));
      this.#texts.set(contentIndex, text);
    }
    return text;
  }
}

function callOf({ partial, contentIndex }: Delta | End): ToolCall | undefined {
  const block = partial.content[contentIndex];
  return block?.type === "toolCall" ? block : undefined;
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
