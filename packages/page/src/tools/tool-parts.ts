import type { Child } from "../dom.ts";
import type { Block, CallHead, Decision, Row, ToolBody } from "../page-data.ts";

/** A call as its view receives it: arguments and details are untrusted and may be anything. */
export interface ToolCallView {
  head: CallHead;
  args: Readonly<Record<string, unknown>>;
  problem?: string;
  /** Absent until there is a result. */
  result?: { row: Row; body: ToolBody };
  decision?: Decision;
  image(block: Block): Node;
  linkToSubagent?(subagent: string): string | undefined;
}

export interface ToolPicture {
  /** One or two characters in front of its name. */
  icon: string;
  /** A short outcome, next to the name. */
  remark?: Child;
  content: Child;
  /** Whether it is open by default. */
  isOpen: boolean;
}

export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the first of these arguments that is a string. */
export function argument(args: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined {
  const name = names.find((candidate) => typeof args[candidate] === "string");
  return name === undefined ? undefined : string(args[name]);
}

export function resultText({ result }: ToolCallView): string {
  return (result?.body.blocks ?? []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export function resultDetails({ result }: ToolCallView): Readonly<Record<string, unknown>> {
  return fields(result?.body.details);
}

export function lineCount(text: string): number {
  return text === "" ? 0 : text.replace(/\n+$/, "").split("\n").length;
}
