import { expect } from "bun:test";
import { program } from "../../../coding-agent/test/support/program.ts";
import type { Machine } from "../../../coding-agent/test/support/scenarios/stored-sessions.ts";
import { VirtualScreen } from "./virtual-screen.ts";

export interface RunOptions {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** The terminal's answer when it is asked to identify itself. */
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

/** The line below a question's answers, without the keyboard focus and with it. */
export const UNFOCUSED = "tab answers";
export const FOCUSED = "tab returns to the message";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal answers when it is asked what it is
const ATTRIBUTES = /^\u001b\[\?[\d;]*c$/;
/** Output that a program wrote before it exited arrives within this time. */
const LAST_WORDS_MS = 3_000;

/** The built program in its own terminal: a test can type, and wait for what a user would see. */
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
      // The screen of these tests is xterm.js, like the terminal of VS Code.
      env: { ...env, TERM: "xterm-256color", TERM_PROGRAM: "vscode", ...options.env },
      // Created by the start, so that it is the program's controlling terminal, whose window signals reach it.
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

  /** Everything that the program wrote. */
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

  /** Hangs up, as when the window is closed. */
  closeTerminal(): void {
    this.#terminal.close();
  }

  /** Resolves with the exit code. The last output may not have arrived yet. */
  get exited(): Promise<number> {
    return this.#child.exited;
  }

  /** Resolves when the screen satisfies the condition; rejects if the program exits first. */
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

  /** Looks everywhere, including lines that have scrolled away. */
  async sees(text: string): Promise<void> {
    let shown = "";
    await this.until((screen) => {
      shown = screen.lines().join("\n");
      return shown.includes(text);
    }, text);
    expect(shown).toContain(text);
  }

  /** Resolves when the question with this text on the screen has the keyboard focus; moves to it if necessary. */
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

/** Whether the program accepts messages and no run is active. */
export function isIdle(screen: VirtualScreen): boolean {
  const rows = screen.screen();
  return (rows.at(-1)?.startsWith("m ·") ?? false) && !rows.some((row) => row.endsWith("escape stops"));
}

export const isReady = (run: TerminalRun) => run.until(isIdle, "ready");

/** How often a line is shown. */
export function count(screen: VirtualScreen, line: string): number {
  return screen.lines().filter((shown) => shown.trim() === line).length;
}
