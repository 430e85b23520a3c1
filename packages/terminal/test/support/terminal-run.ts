import { expect } from "bun:test";
import { program } from "../../../coding-agent/test/support/program.ts";
import type { Machine } from "../../../coding-agent/test/support/scenarios/stored-sessions.ts";
import { VirtualScreen } from "./virtual-screen.ts";

export interface RunOptions {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** What the terminal says it is, when it is asked. */
  attributes?: string;
}

export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  altEnter: "\u001b\r",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlG: "\u0007",
  ctrlO: "\u000f",
  up: "\u001b[A",
  down: "\u001b[B",
  tab: "\t",
  shiftTab: "\u001b[Z",
} as const;

/** What a question says below its answers, without the keyboard and with it. */
export const UNFOCUSED = "tab answers";
export const FOCUSED = "tab returns to the message";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal answers when it is asked what it is
const ATTRIBUTES = /^\u001b\[\?[\d;]*c$/;
/** What a program wrote before its end arrives within this time. */
const LAST_WORDS_MS = 3_000;

/** The built program at a terminal of its own: what is typed goes in, what a person sees can be waited for. */
export class TerminalRun implements AsyncDisposable {
  readonly screen: VirtualScreen;
  readonly #child: Bun.Subprocess;
  readonly #terminal: Bun.Terminal;
  readonly #decoder = new TextDecoder();
  #raw = "";
  #written: Promise<void> = Promise.resolve();
  #hasEnded = false;
  #onChange = Promise.withResolvers<void>();

  constructor(args: readonly string[], { cwd, env }: Machine, options: RunOptions = {}) {
    const { columns = 80, rows = 24 } = options;
    this.screen = new VirtualScreen(columns, rows);
    this.#child = Bun.spawn([program, ...args], {
      cwd,
      // The screen of these tests is xterm.js, as the terminal of VS Code is.
      env: { ...env, TERM: "xterm-256color", TERM_PROGRAM: "vscode", ...options.env },
      // Made by the start, it is the terminal that controls the program: signals of the window reach it.
      terminal: { cols: columns, rows, data: (_, data) => this.#take(data.slice()) },
    });
    this.#terminal = this.#child.terminal!;
    this.screen.onReply((data) => {
      const reply = ATTRIBUTES.test(data) ? (options.attributes ?? data) : data;
      if (!this.#terminal.closed) this.#terminal.write(reply);
    });
    // The end of a process does not reject.
    void this.#child.exited.then(() => {
      this.#hasEnded = true;
      this.#changed();
    });
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Everything the program wrote. */
  get raw(): string {
    return this.#raw;
  }

  type(text: string): void {
    this.#terminal.write(text);
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows);
    this.#terminal.resize(columns, rows);
  }

  /** As when its window is closed. */
  closeTerminal(): void {
    this.#terminal.close();
  }

  /** The exit code. What was written last may still be on its way. */
  get exited(): Promise<number> {
    return this.#child.exited;
  }

  /** Resolves when the screen is like that; rejects when the program ends before. */
  async until(isSo: (screen: VirtualScreen) => boolean, what = isSo.toString()): Promise<void> {
    for (;;) {
      const changed = this.#onChange.promise;
      await this.#written;
      if (isSo(this.screen)) return;
      const silence = this.#hasEnded ? Bun.sleep(LAST_WORDS_MS).then(() => "silent") : changed;
      if ((await Promise.race([changed, silence])) === "silent")
        throw new Error(`The program ended before: ${what}\n${this.screen.lines().join("\n")}`);
    }
  }

  /** Anywhere, also where it has scrolled away. */
  async sees(text: string): Promise<void> {
    let shown = "";
    await this.until((screen) => {
      shown = screen.lines().join("\n");
      return shown.includes(text);
    }, text);
    expect(shown).toContain(text);
  }

  /** Resolves when the question with this text on the screen has the keyboard; calls it if it does not by itself. */
  async focuses(text: string): Promise<void> {
    const isShown = (screen: VirtualScreen, hint: string) => {
      const shown = screen.screen().join("\n");
      return shown.includes(text) && shown.includes(hint);
    };
    await this.until((screen) => isShown(screen, UNFOCUSED) || isShown(screen, FOCUSED), `the question ${text}`);
    if (isShown(this.screen, FOCUSED)) return;
    this.type(KEYS.tab);
    await this.until((screen) => isShown(screen, FOCUSED), `${text} with the keyboard`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    if (!this.#terminal.closed) this.#terminal.close();
  }

  #take(data: Uint8Array): void {
    this.#raw += this.#decoder.decode(data, { stream: true });
    this.#written = this.screen.write(data);
    void this.#written.then(() => this.#changed()); // the screen does not reject
  }

  #changed(): void {
    const { resolve } = this.#onChange;
    this.#onChange = Promise.withResolvers();
    resolve();
  }
}

/** Whether the program takes messages and no run is active. */
export function isIdle(screen: VirtualScreen): boolean {
  const rows = screen.screen();
  return (rows.at(-1)?.startsWith("m ·") ?? false) && !rows.some((row) => row.endsWith("escape stops"));
}

export const isReady = (run: TerminalRun) => run.until(isIdle, "ready");

/** How often a line is shown. */
export function count(screen: VirtualScreen, line: string): number {
  return screen.lines().filter((shown) => shown.trim() === line).length;
}
