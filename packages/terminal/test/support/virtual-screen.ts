import { Terminal } from "@xterm/headless";

/** A terminal without a window: shows what a program wrote as a user would see it. */
export class VirtualScreen {
  readonly #terminal: Terminal;

  constructor(columns: number, rows: number) {
    this.#terminal = new Terminal({ cols: columns, rows, scrollback: 200_000, allowProposedApi: true });
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  /** The terminal's answers to the program's queries. */
  onReply(listener: (data: string) => void): void {
    this.#terminal.onData(listener);
  }

  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(data, resolve));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  /** Returns history and screen, without empty lines at the end. A line that the terminal wrapped is one line. */
  lines(): string[] {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index += 1) {
      const line = active.getLine(index)!;
      const text = line.translateToString(true);
      if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** Returns what is on the screen now, row by row. */
  screen(): string[] {
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: this.#terminal.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? "").trimEnd(),
    );
    while (rows.at(-1) === "") rows.pop();
    return rows;
  }

  cursor(): { row: number; col: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, col: cursorX };
  }
}
