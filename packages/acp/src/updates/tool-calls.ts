import type { SessionUpdate, ToolCall, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import { childLines } from "./child-lines.ts";
import { textContent, toToolContent } from "./content.ts";
import { diffsOfArguments, numberedDiffBlocks, unifiedDiffBlocks } from "./diffs.ts";
import { absolutePath, locationsOf, toolKind, toolTitle } from "./tool-table.ts";

type Arguments = Record<string, unknown>;

interface Call {
  name: string;
  args: Arguments;
  /** The client's terminal, while the command runs in it. */
  terminalId?: string;
}

export interface ToolResult {
  content?: unknown;
  details?: unknown;
}

/** The tool calls without a result, as the client sees them: each is reported once and ends once. */
export class ToolCalls {
  readonly #open = new Map<string, Call>();
  readonly #cwd: string;
  readonly #tell: (update: SessionUpdate) => void;

  constructor(cwd: string, tell: (update: SessionUpdate) => void) {
    this.#cwd = cwd;
    this.#tell = tell;
  }

  /** Called while the model writes the arguments and when they are complete, so that the client can show a pending call. */
  announce(toolCallId: string, name: string, args: Arguments = {}): void {
    const known = this.#open.has(toolCallId);
    this.#open.set(toolCallId, { name, args });
    if (!known) {
      this.#tell({
        sessionUpdate: "tool_call",
        toolCallId,
        name,
        title: toolTitle(name, args),
        kind: toolKind(name),
        status: "pending",
      });
    } else if (Object.keys(args).length > 0) this.#update({ toolCallId, ...this.#described({ name, args }) });
  }

  start(toolCallId: string, name: string, args: Arguments): void {
    const isKnown = this.#open.has(toolCallId);
    const call = { name, args };
    this.#open.set(toolCallId, call);
    const fields = { toolCallId, name, kind: toolKind(name), status: "in_progress" as const, ...this.#described(call) };
    this.#tell({ sessionUpdate: isKnown ? "tool_call_update" : "tool_call", ...fields });
  }

  progress(toolCallId: string, partial: ToolResult): void {
    const call = this.#open.get(toolCallId);
    if (!call || call.terminalId !== undefined) return; // a terminal shows its own output
    const children = childLines(partial.details);
    const content = children === undefined ? toToolContent(partial.content) : [textContent(children)];
    this.#update({ toolCallId, content });
  }

  /** Called when the command runs in a terminal of the client. */
  inTerminal(toolCallId: string, terminalId: string): void {
    const call = this.#open.get(toolCallId);
    if (!call) return;
    call.terminalId = terminalId;
    this.#update({ toolCallId, content: [{ type: "terminal", terminalId }] });
  }

  end(toolCallId: string, result: ToolResult, isError: boolean): void {
    const call = this.#open.get(toolCallId);
    if (!call) return;
    this.#open.delete(toolCallId);
    this.#update({
      toolCallId,
      status: isError ? "failed" : "completed",
      content: this.#resultContent(call, result, isError),
      ...(isRecord(result.details) && { rawOutput: result.details }),
    });
  }

  /** Ends the open calls, because nothing follows: the run was aborted, or the answer was discarded. */
  failOpen(): void {
    for (const toolCallId of this.#open.keys()) this.#update({ toolCallId, status: "failed" });
    this.#open.clear();
  }

  /** Returns what is known about a call that needs approval. */
  describe(toolCallId: string): { name: string; args: Arguments } | undefined {
    return this.#open.get(toolCallId);
  }

  /** Returns the running calls of a tool, the oldest first. */
  openOf(name: string): string[] {
    return [...this.#open].filter(([, call]) => call.name === name).map(([id]) => id);
  }

  #described({ name, args }: Call): Pick<ToolCall, "title" | "rawInput" | "locations" | "content"> {
    const content = diffsOfArguments(name, args, this.#cwd);
    return {
      title: toolTitle(name, args),
      rawInput: args,
      locations: locationsOf(args, this.#cwd),
      ...(content.length > 0 && { content }),
    };
  }

  #resultContent({ name, args, terminalId }: Call, result: ToolResult, isError: boolean): ToolCallContent[] {
    const content = toToolContent(result.content);
    if (terminalId !== undefined) return [{ type: "terminal", terminalId }, ...(isError ? content : [])];
    if (isError) return content;
    const diffs = this.#diffs(name, args, result.details);
    return diffs.length > 0 ? diffs : content;
  }

  #diffs(name: string, args: Arguments, details: unknown): ToolCallContent[] {
    const diff = isRecord(details) && typeof details.diff === "string" ? details.diff : undefined;
    if (toolKind(name) !== "edit") return [];
    if (diff === undefined) return diffsOfArguments(name, args, this.#cwd);
    if (typeof args.path === "string" && name !== "ast_edit")
      return numberedDiffBlocks(absolutePath(args.path, this.#cwd), diff);
    return unifiedDiffBlocks(diff, this.#cwd);
  }

  #update(fields: ToolCallUpdate): void {
    this.#tell({ sessionUpdate: "tool_call_update", ...fields });
  }
}
