import { duration, spinner } from "../feed/spinner.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";
import { tokenCount } from "./amounts.ts";

/** A token is about this many characters: an estimate until the provider reports the number. */
const CHARACTERS_PER_TOKEN = 4;

export interface LineOptions {
  /** A question is open. */
  isAsking: boolean;
  /** The keys, empty if the user has removed them. */
  stopKey: string;
  backgroundKey: string;
}

/** What a run is doing, for how long, and how much the model has written. */
export class Activity {
  readonly #now: () => number;
  #startedAt: number | undefined;
  #doing = "";
  #retryAt: number | undefined;
  #tokens = 0;
  #characters = 0;
  readonly #tools = new Map<string, string>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  start(): void {
    this.#startedAt ??= this.#now();
    this.does("waiting for the model");
  }

  stop(): void {
    this.#startedAt = undefined;
    this.#retryAt = undefined;
    this.#tokens = 0;
    this.#characters = 0;
    this.#tools.clear();
  }

  does(what: string): void {
    this.#doing = what;
    this.#retryAt = undefined;
  }

  retries(delayMs: number): void {
    this.#retryAt = this.#now() + delayMs;
  }

  wrote(characters: number): void {
    this.#characters += characters;
  }

  /** A message is complete; its usage replaces the estimate. */
  counted(tokens: number): void {
    this.#tokens += tokens > 0 ? tokens : this.#estimate;
    this.#characters = 0;
  }

  toolStarted(id: string, name: string): void {
    this.#tools.set(id, name);
  }

  toolEnded(id: string): void {
    this.#tools.delete(id);
    if (this.#tools.size === 0) this.does("waiting for the model");
  }

  /** Returns no line without a run. */
  line(width: number, theme: Theme, { isAsking, stopKey, backgroundKey }: LineOptions): string[] {
    if (this.#startedAt === undefined) return [];
    const now = this.#now();
    const tokens = this.#tokens + this.#estimate;
    const facts = [
      duration(now - this.#startedAt),
      ...(tokens > 0 ? [`${tokenCount(tokens)} tokens`] : []),
      ...(stopKey === "" ? [] : [`${stopKey} stops`]),
      ...(backgroundKey === "" || !this.#runsCommand ? [] : [`${backgroundKey} to background`]),
    ].filter((fact) => fact !== "");
    const what = isAsking ? "waiting for you" : this.#text(now);
    const line = `${theme.accent(`${isAsking ? "?" : spinner(now)} ${what}`)}${theme.dim(facts.map((fact) => ` · ${fact}`).join(""))}`;
    return [truncated(line, width)];
  }

  get #runsCommand(): boolean {
    return [...this.#tools.values()].includes("bash");
  }

  get #estimate(): number {
    return Math.round(this.#characters / CHARACTERS_PER_TOKEN);
  }

  #text(now: number): string {
    if (this.#retryAt !== undefined) return `trying again in ${Math.max(0, Math.ceil((this.#retryAt - now) / 1000))} s`;
    const [name] = this.#tools.values();
    if (name === undefined) return this.#doing;
    const others = this.#tools.size - 1;
    return `running ${shownText(name)}${others === 0 ? "" : ` and ${others} more`}`;
  }
}
