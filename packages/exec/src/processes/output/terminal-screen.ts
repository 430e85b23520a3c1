interface Row {
  /** One entry per column; the other columns of a wide character or a tab are empty. */
  cells: string[];
  /** True if something in the row was overwritten: blanks at its end are left over from longer text. */
  isOverwritten: boolean;
}

/** How far up a cursor can move, and how long a line may be before its start is final. */
const MAX_ROWS = 32;
const MAX_COLUMNS = 8192;
/** How far to the right of a line's text a cursor may move. `ESC[999C` means the right edge, not a kilobyte of blanks. */
const EDGE = 200;
const TAB_STOP = 8;
/** Limit for a letter with its combining accents. */
const MAX_CELL_CHARACTERS = 16;

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const TOKEN = /\x1b\[([0-9]*)[0-9;]*([A-GJK])|[\n\r\b\t]|[^\x00-\x1f\x7f-\x9f]+/g;
const ASCII = /^[\x20-\x7e]*$/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/**
 * The last rows of a terminal: text that moves back in a line, or up to an earlier one, overwrites what is there. Rows that
 * scroll off are final. Each character costs the same, whatever came before it.
 */
export class TerminalScreen {
  readonly #settle: (text: string) => void;
  #rows: Row[] = [newRow()];
  #row = 0;
  #column = 0;

  /** `settle` receives text that can no longer change, in order. */
  constructor(settle: (text: string) => void) {
    this.#settle = settle;
  }

  /** True if text that is written next is only appended. */
  get isAtEnd(): boolean {
    return this.#row === this.#rows.length - 1 && this.#column === this.#current.cells.length;
  }

  /** Returns the visible text. With `hasEnd` nothing follows, so leftover blanks at the end are dropped as well. */
  text({ hasEnd }: { hasEnd: boolean }): string {
    const last = this.#rows.length - 1;
    return this.#rows.map((row, index) => rowText(row, hasEnd || index < last)).join("\n");
  }

  /** Writes text and the control sequences that move the cursor or erase; others are dropped. */
  write(text: string): void {
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
      const [token, count, command] = match;
      if (command !== undefined) this.#obey(command, count === "" ? undefined : Number(count));
      else if (token === "\n") this.#newLine();
      else if (token === "\r") this.#moveTo(this.#row, 0);
      else if (token === "\b") this.#moveTo(this.#row, this.#column - 1);
      else if (token === "\t") this.#tab();
      else this.#print(token);
    }
  }

  get #current(): Row {
    return this.#rows[this.#row]!;
  }

  #obey(command: string, count: number | undefined): void {
    const steps = Math.max(1, count ?? 1);
    if (command === "J" || command === "K") this.#erase(command, count ?? 0);
    else if (command === "G") this.#moveTo(this.#row, steps - 1);
    else if (command === "C") this.#moveTo(this.#row, this.#column + steps);
    else if (command === "D") this.#moveTo(this.#row, this.#column - steps);
    else {
      const isUp = command === "A" || command === "F";
      const keepsColumn = command === "A" || command === "B";
      this.#moveTo(this.#row + (isUp ? -steps : steps), keepsColumn ? this.#column : 0);
    }
  }

  #moveTo(row: number, column: number): void {
    this.#row = Math.min(Math.max(0, row), this.#rows.length - 1);
    const edge = Math.min(Math.max(EDGE, this.#current.cells.length), MAX_COLUMNS - 1);
    this.#column = Math.min(Math.max(0, column), edge);
  }

  /**
   * Erases to the end (0), from the start (1), or everything (2): in the line or, with J, in all rows down to the last one.
   */
  #erase(command: "J" | "K", part: number): void {
    const row = this.#current;
    row.isOverwritten = true;
    breakWide(row.cells, part === 1 ? this.#column + 1 : this.#column);
    if (part === 1) row.cells.fill(" ", 0, this.#column + 1);
    else row.cells.length = part === 2 ? 0 : Math.min(row.cells.length, this.#column);
    if (command === "J") this.#rows.length = this.#row + 1;
  }

  #newLine(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row < this.#rows.length) return;
    this.#rows.push(newRow());
    if (this.#rows.length <= MAX_ROWS) return;
    this.#settle(`${rowText(this.#rows.shift()!, true)}\n`);
    this.#row -= 1;
  }

  #tab(): void {
    const stop = Math.min(this.#column + TAB_STOP - (this.#column % TAB_STOP), MAX_COLUMNS - 1);
    const { cells } = this.#current;
    if (this.#column >= cells.length) {
      while (cells.length < this.#column) cells.push(" ");
      if (stop > this.#column) cells.push("\t");
      while (cells.length < stop) cells.push("");
    }
    this.#column = stop;
  }

  #print(text: string): void {
    if (ASCII.test(text)) for (let i = 0; i < text.length; i += 1) this.#put(text[i]!, 1);
    else for (const character of text) this.#put(character, Bun.stringWidth(character));
  }

  #put(character: string, width: number): void {
    if (this.#column + width > MAX_COLUMNS) this.#wrap();
    const row = this.#current;
    const { cells } = row;
    if (width === 0) {
      const before = cells[this.#column - 1];
      if (before !== undefined && before.length < MAX_CELL_CHARACTERS) cells[this.#column - 1] = before + character;
      return;
    }
    if (this.#column < cells.length) {
      row.isOverwritten = true;
      breakWide(cells, this.#column);
      breakWide(cells, this.#column + width);
    }
    while (cells.length < this.#column) cells.push(" ");
    cells[this.#column] = character;
    if (width === 2) cells[this.#column + 1] = "";
    this.#column += width;
  }

  /** Continues a line that is too long as if it started here. In an earlier row there is no space for it. */
  #wrap(): void {
    if (this.#row < this.#rows.length - 1) {
      this.#column = MAX_COLUMNS - 2;
      return;
    }
    this.#settle(this.text({ hasEnd: false }));
    this.#rows = [newRow()];
    this.#row = 0;
    this.#column = 0;
  }
}

function newRow(): Row {
  return { cells: [], isOverwritten: false };
}

/** Removes a wide character of which one column is overwritten, and turns a tab into blanks. */
function breakWide(cells: string[], column: number): void {
  if (cells[column] !== "") return;
  let first = column;
  while (cells[first] === "") first -= 1;
  cells[first] = " ";
  for (let at = first + 1; cells[at] === ""; at += 1) cells[at] = " ";
}

function rowText({ cells, isOverwritten }: Row, isWhole: boolean): string {
  const text = cells.join("");
  return isOverwritten && isWhole ? text.trimEnd() : text;
}
