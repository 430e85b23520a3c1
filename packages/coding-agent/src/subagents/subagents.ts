import { SessionError } from "@pintle/storage";
import type { AgentInfo, AgentSessionEvent, Params, Result, SubagentSnapshot } from "@pintle/wire";
import type { Agents } from "../agents/load-agents.ts";
import type { Child, ChildEnd } from "./child.ts";
import { Places } from "./places.ts";
import { Throttle } from "./throttle.ts";

export interface SubagentsParts {
  emit(event: AgentSessionEvent): void;
  /** Finds the kinds of subagents. */
  loadAgents(): Promise<Agents>;
  /** The file of the session that owns all subagents; undefined if it is only in memory. */
  sessionFile(): string | undefined;
  /** How many may work at the same time; 0 means no limit. */
  maxConcurrency(): number;
}

/** Reports what happens to one subagent. */
export interface ChildReporter {
  started(): void;
  /** Receives the events of its session. */
  observe(event: AgentSessionEvent): void;
  ended(status: ChildEnd): void;
}

type Level = Params<"set_subagent_subscription">["level"];

/** Ended subagents that can still be listed. */
const MAX_ENDED = 256;
const PROGRESS_MS = 250;

/**
 * Owns all subagents of a session, including those of its subagents. Reports them to the host, and carries out the host's
 * requests. The code that runs them is loaded with the first one.
 */
export class Subagents {
  /** What the connected host receives. */
  level: Level = "off";
  readonly #parts: SubagentsParts;
  readonly #children = new Map<string, Child>();
  readonly #warnings = new Set<string>();
  readonly #places = new Map<number, Places>();
  #agents: Agents | undefined;

  constructor(parts: SubagentsParts) {
    this.#parts = parts;
  }

  /** The kinds of subagents, once a run has begun. */
  get agents(): Agents | undefined {
    return this.#agents;
  }

  /** Reads the definitions, unless that was done for this session. */
  async loadAgents(): Promise<Agents> {
    this.#agents ??= await this.#parts.loadAgents();
    return this.#agents;
  }

  /** Reports a problem with a kind of subagent once. */
  warnOnce(text: string, warn: (text: string) => void): void {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    warn(text);
  }

  /** Forgets the subagents of the previous session, which have ended. */
  restore(): void {
    for (const [id, child] of this.#children) if (!child.isRunning) this.#children.delete(id);
    this.#agents = undefined;
  }

  /** Adds a subagent that is about to start. Returns the functions that report what happens to it. */
  add(child: Child, onProgress?: () => void): ChildReporter {
    const { emit } = this.#parts;
    this.#children.delete(child.facts.id);
    this.#children.set(child.facts.id, child);
    this.#forgetOldest();
    const progress = new Throttle(() => {
      if (this.level !== "off") emit({ type: "subagent_progress", payload: child.report });
      onProgress?.();
    }, PROGRESS_MS);
    const report = (status: "started" | ChildEnd) => {
      if (this.level !== "off") emit({ type: "subagent_lifecycle", payload: child.lifecycle(status) });
    };
    return {
      observe: (event) => {
        if (child.observe(event)) progress.request();
        this.#onEvent(child, event);
      },
      started: () => {
        child.status = "running";
        report("started");
        progress.request();
      },
      ended: (status) => {
        progress.flush();
        child.end(status);
        report(status);
      },
    };
  }

  /** Passes an event of a subagent's session to a host that has subscribed to it. */
  #onEvent(child: Child, event: AgentSessionEvent): void {
    if (this.level !== "events") return;
    this.#parts.emit({ type: "subagent_event", payload: { id: child.facts.id, event } });
  }

  list({ all = false } = {}): SubagentSnapshot[] {
    return [...this.#children.values()].filter((child) => all || child.isRunning).map((child) => child.snapshot);
  }

  get running(): readonly Child[] {
    return [...this.#children.values()].filter((child) => child.isRunning);
  }

  has(id: string): boolean {
    return this.#children.has(id);
  }

  /** Throws SessionError for an id that is not a subagent's. */
  find(id: string): Child {
    const child = this.#children.get(id);
    if (!child) throw new SessionError("not_found", `Unknown subagent: ${id}`);
    return child;
  }

  /** Ends a subagent and those that it has started, and resolves when they have ended. */
  abort(id: string): Promise<ChildEnd> {
    return this.end(this.find(id), "the host ended it");
  }

  /** Does the same; `why` is a clause. */
  async end(child: Child, why: string): Promise<ChildEnd> {
    if (child.isRunning) {
      child.endReason ??= why;
      child.abortion.abort();
      await child.session?.abort();
      await child.ended.promise;
    }
    return child.status as ChildEnd; // it has ended
  }

  /** Ends all subagents that calls wait for. Resolves when they have ended. */
  async endWaited(why: string): Promise<void> {
    const waited = this.running.filter(({ isDetached }) => !isDetached);
    await Promise.all(waited.map((child) => this.end(child, why)));
  }

  /**
   * Waits for a free slot among the subagents of a depth. A subagent that waits for its own subagents keeps its slot.
   */
  takePlace(depth: number, signal: AbortSignal): Promise<(() => void) | undefined> {
    const places = this.#places.get(depth) ?? new Places(this.#parts.maxConcurrency);
    this.#places.set(depth, places);
    return places.take(signal);
  }

  /** The file of the session that owns all subagents. */
  get rootFile(): string | undefined {
    return this.#parts.sessionFile();
  }

  /** Sends a message to a running subagent. */
  prompt({ subagentId, message, images, streamingBehavior = "steer" }: Params<"prompt_subagent">): void {
    const child = this.find(subagentId);
    if (!child.isRunning || !child.session?.isRunning) {
      const text = `The subagent ${subagentId} is not running: only the model can continue it, with resume`;
      throw new SessionError("invalid_request", text);
    }
    child.session.send({ text: message, images }, streamingBehavior);
  }

  /** Returns a part of a subagent's stored session. */
  async messages(query: Params<"get_subagent_messages">): Promise<Result<"get_subagent_messages">> {
    const { readChildFile } = await import("./child-file.ts");
    return readChildFile(query, {
      fileOf: (id) => this.#children.get(id)?.sessionFile,
      root: this.#parts.sessionFile(),
    });
  }

  async agentInfo(): Promise<AgentInfo[]> {
    const { offered, unused } = await this.loadAgents();
    const info = ({ name, description, source, filePath, tools, model }: Agents["offered"][number]): AgentInfo => ({
      name,
      description,
      source,
      ...(filePath !== undefined && { filePath }),
      ...(tools && { tools: [...tools] }),
      ...(model && { model: [...model] }),
    });
    return [
      ...offered.map(info),
      ...unused.map(({ agent, why }) => ({
        ...info(agent),
        ...(why === "disabled" ? { disabled: true as const } : { ignored: why }),
      })),
    ];
  }

  /** Totals of the subagents that this process has started; undefined if there is none. */
  get stats(): { count: number; running: number; tokens: number; cost: number } | undefined {
    const children = [...this.#children.values()];
    if (children.length === 0) return undefined;
    return {
      count: children.length,
      running: this.running.length,
      tokens: children.reduce((sum, { usage }) => sum + usage.totalTokens, 0),
      cost: children.reduce((sum, { cost }) => sum + cost, 0),
    };
  }

  #forgetOldest(): void {
    const ended = [...this.#children.values()].filter((child) => !child.isRunning);
    for (const { facts } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#children.delete(facts.id);
  }
}
