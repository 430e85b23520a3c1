import { basename, isAbsolute, relative, resolve } from "node:path";
import type { AssistantUpdateEvent, ToolCall } from "@pintle/ai";
import type { PatternSet } from "./patterns/pattern-set.ts";
import type { TextScan } from "./patterns/text-scan.ts";
import type { Rule } from "./rule.ts";
import type { PatternOwner } from "./rule-book.ts";
import type { WatchedStream } from "./rule-scope.ts";

export interface RuleHit {
  rule: Rule;
  kind: WatchedStream["kind"];
  /** The call whose arguments matched. */
  toolCallId?: string;
}

type Delta = Extract<AssistantUpdateEvent, { delta: string }>;
type End = Extract<AssistantUpdateEvent, { type: "text_end" | "thinking_end" | "toolcall_end" }>;

interface Block {
  scan: TextScan;
  found: Set<Rule>;
  /** Patterns that match but wait until the call's files are known. */
  waiting: Set<number>;
  seenArguments?: ToolCall["arguments"];
}

const NONE: readonly RuleHit[] = [];

/** Finds rules in one assistant message while it streams. Each rule is found once per block. */
export class RuleMatcher {
  readonly #owners: readonly PatternOwner[];
  readonly #patterns: PatternSet;
  readonly #cwd: string;
  readonly #blocks: Block[] = [];

  constructor({ owners, patterns }: { owners: readonly PatternOwner[]; patterns: PatternSet }, cwd: string) {
    this.#owners = owners;
    this.#patterns = patterns;
    this.#cwd = cwd;
  }

  read(event: AssistantUpdateEvent): readonly RuleHit[] {
    if ("delta" in event) {
      const block = this.#blockOf(event.contentIndex);
      const matched = block.scan.append(event.delta);
      return matched.length > 0 || block.waiting.size > 0 ? this.#judge(event, block, matched) : NONE;
    }
    if (event.type !== "text_end" && event.type !== "thinking_end" && event.type !== "toolcall_end") return NONE;
    const block = this.#blockOf(event.contentIndex);
    const decoded = event.type === "toolcall_end" ? this.#scanDecoded(event.toolCall) : [];
    return this.#judge(event, block, [...block.scan.end(), ...decoded]);
  }

  /** JSON is also matched as the strings that it encodes. */
  #scanDecoded(call: ToolCall): number[] {
    return textsIn(call.arguments).flatMap((text) => {
      const scan = this.#patterns.scan();
      return [...scan.append(text), ...scan.end()];
    });
  }

  #judge(event: Delta | End, block: Block, matched: readonly number[]): readonly RuleHit[] {
    const call = callOf(event);
    const isComplete = !("delta" in event);
    if (!isComplete && matched.length === 0 && call?.arguments === block.seenArguments) return NONE;
    if (call) block.seenArguments = call.arguments;
    const stream = this.#streamOf(event, call, isComplete);
    const hits: RuleHit[] = [];
    for (const pattern of new Set([...block.waiting, ...matched])) {
      const { rule, scope } = this.#owners[pattern]!;
      if (!scope.matches(stream)) {
        if (call) block.waiting.add(pattern);
        continue;
      }
      block.waiting.delete(pattern);
      if (block.found.has(rule)) continue;
      block.found.add(rule);
      hits.push({ rule, kind: stream.kind, ...(call && { toolCallId: call.id }) });
    }
    return hits;
  }

  #streamOf({ type }: Delta | End, call: ToolCall | undefined, isComplete: boolean): WatchedStream {
    if (!call) return { kind: type.startsWith("thinking") ? "thinking" : "text" };
    return { kind: "tool", toolName: call.name, paths: pathsIn(call.arguments, this.#cwd, isComplete) };
  }

  #blockOf(contentIndex: number): Block {
    this.#blocks[contentIndex] ??= { scan: this.#patterns.scan(), found: new Set(), waiting: new Set() };
    return this.#blocks[contentIndex];
  }
}

function callOf({ partial, contentIndex }: Delta | End): ToolCall | undefined {
  const block = partial.content[contentIndex];
  return block?.type === "toolCall" ? block : undefined;
}

const PATH_KEY = /paths?$/i;

/** Returns all strings in the arguments of a call. */
export function textsIn(args: Readonly<Record<string, unknown>>): string[] {
  return leavesOf(args).map(({ text }) => text);
}

/**
 * Returns the files that a call's arguments name: as written, relative to the directory, absolute, and by base name. While the
 * arguments are still streaming, the value of the last key is ignored, because it may be half of a name.
 */
export function pathsIn(args: Readonly<Record<string, unknown>>, cwd: string, isComplete: boolean): string[] {
  const known = isComplete ? args : Object.fromEntries(Object.entries(args).slice(0, -1));
  const written = leavesOf(known).flatMap(({ key, text }) => (PATH_KEY.test(key) && text !== "" ? [text] : []));
  return [...new Set(written.flatMap((path) => spellings(path, cwd)))];
}

/** Returns the strings in a value, each with its key; the items of a list have the key of the list. */
function leavesOf(value: unknown): { key: string; text: string }[] {
  const leaves: { key: string; text: string }[] = [];
  // No recursion, because a model may nest deeper than the stack allows.
  const open: { key: string; value: unknown }[] = [{ key: "", value }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { key, value: inner } = item;
    if (typeof inner === "string") leaves.push({ key, text: inner });
    else if (Array.isArray(inner)) for (const child of inner.toReversed()) open.push({ key, value: child });
    else if (typeof inner === "object" && inner !== null) {
      for (const [childKey, child] of Object.entries(inner).toReversed()) open.push({ key: childKey, value: child });
    }
  }
  return leaves;
}

function spellings(path: string, cwd: string): string[] {
  const absolute = isAbsolute(path) ? path : resolve(cwd, path);
  return [path, relative(cwd, absolute), absolute, basename(absolute)];
}
