import { program } from "../../../coding-agent/test/support/program.ts";
import type { Machine } from "../../../coding-agent/test/support/scenarios/stored-sessions.ts";

const POLL_MS = 30;

/** A shell with job control in a window of tmux, which many people run inside their terminal. */
export class Tmux implements AsyncDisposable {
  readonly #socket: string;
  readonly #place: Machine;

  constructor(place: Machine, columns = 80, rows = 24) {
    this.#socket = `pintle-test-${process.pid}-${crypto.randomUUID()}`;
    this.#place = place;
    this.#tmux(
      "new-session",
      "-d",
      "-x",
      String(columns),
      "-y",
      String(rows),
      "env PS1='shell> ' bash --norc --noprofile",
    );
  }

  /** Waits for the shell's prompt. */
  start(args: readonly string[]): void {
    this.type([program, ...args].join(" "));
    this.press("Enter");
  }

  type(text: string): void {
    this.#tmux("send-keys", "-l", text);
  }

  /** A key name of tmux: `Enter`, `C-z`. */
  press(key: string): void {
    this.#tmux("send-keys", key);
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** Returns history and screen. */
  lines(): string[] {
    return this.#tmux("capture-pane", "-p", "-J", "-S", "-").split("\n");
  }

  screen(): string[] {
    return this.#tmux("capture-pane", "-p").trimEnd().split("\n");
  }

  async until(isSo: (tmux: Tmux) => boolean): Promise<void> {
    while (!isSo(this)) await Bun.sleep(POLL_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tmux("kill-server");
  }

  #tmux(...args: string[]): string {
    const { cwd, env } = this.#place;
    const { stdout, stderr, exitCode } = Bun.spawnSync(["tmux", "-L", this.#socket, "-f", "/dev/null", ...args], {
      cwd,
      env: { ...env, TERM: "xterm-256color", LANG: "C.UTF-8" },
    });
    if (exitCode !== 0) throw new Error(`tmux ${args[0]}: ${stderr.toString()}`);
    return stdout.toString();
  }
}
