import type { Frame } from "../scenarios/rpc-child.ts";
import type { Random } from "./random.ts";

const KEPT = 50;

type Kind = "sessionPath" | "entryId" | "cursor" | "actionId";

/** What a host can have learned from the frames so far: names that the server recognizes. */
export class Knowledge {
  readonly #names: Record<Kind, string[]> = { sessionPath: [], entryId: [], cursor: [], actionId: [] };

  learn(frame: Frame): void {
    const data = frame.data ?? {};
    this.#add("sessionPath", frame.sessionFile, data.sessionFile);
    this.#add("cursor", data.nextCursor);
    this.#add("actionId", frame.action?.actionId);
    if (frame.command === "get_branch_messages" || frame.command === "get_fork_messages")
      this.#add("entryId", ...(data.messages ?? []).map((message: Frame) => message.entryId));
    if (frame.command === "get_entries") this.#add("entryId", data.leafId, data.entries?.[0]?.id);
  }

  pick(kind: string, random: Random): string | undefined {
    const names = this.#names[kind as Kind] ?? [];
    return random.pick(names);
  }

  #add(kind: Kind, ...names: unknown[]): void {
    const list = this.#names[kind];
    for (const name of names) if (typeof name === "string" && !list.includes(name)) list.push(name);
    list.splice(0, list.length - KEPT);
  }
}
