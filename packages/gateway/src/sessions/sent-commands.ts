import type { FrameId } from "@pintle/wire";
import type { Host } from "../host.ts";

/** A command that was sent to the worker. */
export interface SentCommand {
  command: string;
  /** The sender: a host, with the id that the host gave the command, or the gateway itself. */
  from: { host: Host; id: FrameId | undefined } | "gateway";
  key?: string;
  /** Called at the response's position among the frames, with the worker's text of it, without the id. */
  onResponse(tail: string): void;
}

/** Whether the gateway assigned the id to a command. Ids of questions have another form. */
export function isSentId(id: unknown): boolean {
  return typeof id === "string" && /^g\d+$/.test(id);
}

const ID_START = '{"id":"';

/**
 * The commands that have no response from the worker yet. Several hosts share one worker, so the gateway gives each command an id
 * of its own, and its response the host's id again. A prompt is kept after its response, because its end, or a late failure, has
 * the same id.
 */
export class SentCommands {
  readonly #open = new Map<string, SentCommand>();
  readonly #prompts = new Map<string, SentCommand>();
  #count = 0;

  /** Whether a command of a host, or its run, is in progress. */
  get isBusy(): boolean {
    if (this.#prompts.size > 0) return true;
    for (const { from } of this.#open.values()) if (from !== "gateway") return true;
    return false;
  }

  /** Whether a requested run has not ended, or has no response yet. */
  get hasWork(): boolean {
    if (this.#prompts.size > 0) return true;
    for (const { command } of this.#open.values()) if (BEGINS_WORK.has(command)) return true;
    return false;
  }

  get size(): number {
    return this.#open.size;
  }

  add(command: SentCommand): string {
    this.#count += 1;
    const id = `g${this.#count}`;
    this.#open.set(id, command);
    return id;
  }

  find(id: unknown): SentCommand | undefined {
    return typeof id === "string" ? (this.#open.get(id) ?? this.#prompts.get(id)) : undefined;
  }

  /** Handles a line that begins with an id. Returns false if it is not the response to a command. */
  onResponse(line: string): boolean {
    const end = line.indexOf('"', ID_START.length);
    const id = line.slice(ID_START.length, end);
    const command = this.find(id);
    if (!command || !line.startsWith(ID_START)) return false;
    const tail = line.slice(end + 2);
    this.settle(id, tail, command);
    return true;
  }

  settle(id: string, tail: string, command = this.find(id)): void {
    if (!command) return;
    const isPrompt = BEGINS_RUN.has(command.command);
    const isFirst = this.#open.delete(id);
    this.#prompts.delete(id);
    if (isPrompt && isFirst && isSuccess(tail)) this.#prompts.set(id, command);
    command.onResponse(tail);
  }

  promptEnded(id: string): void {
    this.#prompts.delete(id);
  }

  /** Returns the ids of the commands without a response, except `ids`. */
  openExcept(ids: ReadonlySet<string>): string[] {
    return [...this.#open.keys()].filter((id) => !ids.has(id));
  }

  /** Fails the commands of a worker that has ended, and forgets its prompts. */
  failAll(tailFor: (command: string) => string, ids: readonly string[] = [...this.#open.keys()]): void {
    this.#prompts.clear();
    const failed = ids.flatMap((id) => this.#open.get(id) ?? []);
    for (const id of ids) this.#open.delete(id);
    for (const command of failed) command.onResponse(tailFor(command.command));
  }
}

/** Commands with an early response: a `prompt_result`, or a second, failing response, follows. */
export const BEGINS_RUN: ReadonlySet<string> = new Set(["prompt", "abort_and_prompt", "continue_run"]);

/** Commands whose work would end if the session were closed. */
export const BEGINS_WORK: ReadonlySet<string> = new Set([...BEGINS_RUN, "steer", "follow_up", "bash", "compact"]);

const SUCCESS = /^"type":"response","command":"[^"\\]*","success":true/;

export function isSuccess(tail: string): boolean {
  return SUCCESS.test(tail);
}
