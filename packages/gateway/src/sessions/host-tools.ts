import { isRecord } from "@pintle/ai";
import { CommandError } from "../frames/command-error.ts";

/** A call of a host's tool that has no result yet. */
interface OpenCall {
  owner: number;
  toolName: string;
}

/** The tools that hosts run for a session: the worker knows their union, each belongs to the connection that set it. */
export class HostToolsUnion {
  /** By host, as they were sent: the worker checks them. */
  readonly #tools = new Map<number, readonly unknown[]>();
  /** By id of the call. */
  readonly #calls = new Map<string, OpenCall>();

  get isEmpty(): boolean {
    return this.#tools.size === 0;
  }

  /** All tools, if the host had these. Throws CommandError for a name that another connection holds. */
  unionWith(hostId: number, tools: unknown): { own: readonly unknown[]; union: unknown[] } {
    if (!Array.isArray(tools)) throw new CommandError("invalid_request", "tools must be an array");
    const others = [...this.#tools].filter(([id]) => id !== hostId).flatMap(([, list]) => list);
    const held = new Set(others.map(nameOf));
    const taken = tools.map(nameOf).find((name) => name !== undefined && held.has(name));
    if (taken !== undefined) throw new CommandError("busy", `The tool "${taken}" belongs to another connection`);
    return { own: tools, union: [...others, ...(tools as unknown[])] };
  }

  /** The worker has taken them. */
  set(hostId: number, tools: readonly unknown[]): void {
    if (tools.length === 0) this.#tools.delete(hostId);
    else this.#tools.set(hostId, tools);
  }

  of(hostId: number): readonly unknown[] {
    return this.#tools.get(hostId) ?? [];
  }

  namesOf(hostId: number): string[] {
    return this.of(hostId).flatMap((tool) => nameOf(tool) ?? []);
  }

  union(): unknown[] {
    return [...this.#tools.values()].flat();
  }

  /** A call of the worker. Undefined: its host is gone. */
  called(id: string, toolName: string): number | undefined {
    const owner = [...this.#tools].find(([, tools]) => tools.some((tool) => nameOf(tool) === toolName))?.[0];
    if (owner !== undefined) this.#calls.set(id, { owner, toolName });
    return owner;
  }

  ownerOfCall(id: unknown): number | undefined {
    return typeof id === "string" ? this.#calls.get(id)?.owner : undefined;
  }

  callEnded(id: unknown): void {
    if (typeof id === "string") this.#calls.delete(id);
  }

  /** The host is gone. Gives its open calls, and whether it had tools. */
  release(hostId: number): { calls: { id: string; toolName: string }[]; hadTools: boolean } {
    const hadTools = this.#tools.delete(hostId);
    const calls = [...this.#calls].filter(([, { owner }]) => owner === hostId);
    for (const [id] of calls) this.#calls.delete(id);
    return { calls: calls.map(([id, { toolName }]) => ({ id, toolName })), hadTools };
  }

  /** The worker is gone, and its calls with it. */
  forgetCalls(): void {
    this.#calls.clear();
  }
}

function nameOf(tool: unknown): string | undefined {
  return isRecord(tool) && typeof tool.name === "string" ? tool.name.trim() : undefined;
}

export function lostToolResult(id: string, toolName: string): Record<string, unknown> {
  const text = `The host that runs the tool "${toolName}" has disconnected`;
  return { type: "host_tool_result", id, result: { content: [{ type: "text", text }] }, isError: true };
}
