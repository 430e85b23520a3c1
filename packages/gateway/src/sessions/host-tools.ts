import { isRecord } from "@pintle/ai";
import { CommandError } from "../frames/command-error.ts";
import type { EndedQuestions } from "./ended-questions.ts";

/** A call of a host's tool that has no result yet. */
interface OpenCall {
  owner: number;
  toolName: string;
  /** The frame, for a host that takes over the tool. */
  line: string;
}

/**
 * The tools that hosts run for a session. The worker receives all of them; each tool belongs to the connection that set it. Tools
 * of a lost connection may be kept for a while: the first connection that sets a tool of the same name takes over its calls.
 */
export class HostToolsUnion {
  /** By host, as received: the worker validates them. */
  readonly #tools = new Map<number, readonly unknown[]>();
  /** The open calls, by id. */
  readonly #calls = new Map<string, OpenCall>();
  /** Lost connections whose tools are kept. */
  readonly #orphaned = new Set<number>();
  readonly #ended: EndedQuestions;

  constructor(ended: EndedQuestions) {
    this.#ended = ended;
  }

  get isEmpty(): boolean {
    return this.#tools.size === 0;
  }

  /** Returns all tools if the host had these. Throws CommandError for a name that another connection uses. */
  unionWith(hostId: number, tools: unknown): { own: readonly unknown[]; union: unknown[] } {
    if (!Array.isArray(tools)) throw new CommandError("invalid_request", "tools must be an array");
    const names = new Set(tools.map(nameOf));
    const others = [...this.#tools].filter(([id]) => id !== hostId);
    const held = others.filter(([id]) => !this.#orphaned.has(id)).flatMap(([, list]) => list);
    const taken = held.map(nameOf).find((name) => name !== undefined && names.has(name));
    if (taken !== undefined) throw new CommandError("busy", `The tool "${taken}" belongs to another connection`);
    const kept = others.flatMap(([, list]) => list).filter((tool) => !names.has(nameOf(tool)));
    return { own: tools, union: [...kept, ...(tools as unknown[])] };
  }

  /** Stores the tools that a host has set. */
  set(hostId: number, tools: readonly unknown[]): void {
    if (tools.length === 0) this.#tools.delete(hostId);
    else this.#tools.set(hostId, tools);
  }

  /**
   * Assigns tools of lost connections to a host that has set the same names. Returns the frames of their open calls.
   */
  takeOver(hostId: number): string[] {
    const names = new Set(this.namesOf(hostId));
    for (const orphan of this.#orphaned) {
      this.set(
        orphan,
        this.of(orphan).filter((tool) => !names.has(nameOf(tool) ?? "")),
      );
    }
    const calls = [...this.#calls.values()].filter(
      ({ owner, toolName }) => this.#orphaned.has(owner) && names.has(toolName),
    );
    for (const call of calls) call.owner = hostId;
    return calls.map(({ line }) => line);
  }

  of(hostId: number): readonly unknown[] {
    return this.#tools.get(hostId) ?? [];
  }

  namesOf(hostId: number): string[] {
    return this.of(hostId).flatMap((tool) => nameOf(tool) ?? []);
  }

  /** Returns all tools, each name once: while a tool is being taken over, two connections have it. */
  union(): unknown[] {
    const tools = [...this.#tools.values()].flat();
    return tools.filter((tool, index) => tools.findLastIndex((other) => nameOf(other) === nameOf(tool)) === index);
  }

  /** Records a call of the worker. Returns the owner of the tool, or undefined if its host has disconnected. */
  called(id: string, toolName: string, line: string): number | undefined {
    const owners = [...this.#tools].filter(([, tools]) => tools.some((tool) => nameOf(tool) === toolName));
    const owner = (owners.find(([hostId]) => !this.#orphaned.has(hostId)) ?? owners[0])?.[0];
    if (owner !== undefined) this.#calls.set(id, { owner, toolName, line });
    return owner;
  }

  ownerOfCall(id: unknown): number | undefined {
    return typeof id === "string" ? this.#calls.get(id)?.owner : undefined;
  }

  /** Ends a call whose host has sent the result. */
  answered(id: string, hostId: number): void {
    this.#calls.delete(id);
    this.#ended.answered(id, hostId);
  }

  /** Ends a call without a result. */
  callEnded(id: string): void {
    if (this.#calls.delete(id)) this.#ended.ended(id);
  }

  /** Keeps the tools of a lost connection for the next one. Returns false if it had none. */
  orphan(hostId: number): boolean {
    if (!this.#tools.has(hostId)) return false;
    this.#orphaned.add(hostId);
    return true;
  }

  /** Removes a disconnected host and its tools. Returns its open calls, and whether it had tools. */
  release(hostId: number): { calls: { id: string; toolName: string }[]; hadTools: boolean } {
    this.#orphaned.delete(hostId);
    const hadTools = this.#tools.delete(hostId);
    const calls = [...this.#calls].filter(([, { owner }]) => owner === hostId);
    for (const [id] of calls) this.callEnded(id);
    return { calls: calls.map(([id, { toolName }]) => ({ id, toolName })), hadTools };
  }

  /** Ends all calls, because the worker has ended. */
  forgetCalls(): void {
    for (const id of [...this.#calls.keys()]) this.callEnded(id);
  }
}

function nameOf(tool: unknown): string | undefined {
  return isRecord(tool) && typeof tool.name === "string" ? tool.name.trim() : undefined;
}

export function lostToolResult(id: string, toolName: string): Record<string, unknown> {
  const text = `The host that runs the tool "${toolName}" has disconnected`;
  return { type: "host_tool_result", id, result: { content: [{ type: "text", text }] }, isError: true };
}
