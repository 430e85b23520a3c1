import type { FileChange } from "@pintle/client";
import {
  type Chosen,
  type ChosenParts,
  changeFacts,
  hunkCounts,
  hunkDiff,
  hunkPlace,
  isEditable,
} from "@pintle/page/chosen-parts";
import type { EditorKeys } from "../keys/editor-keys.ts";
import { typedText } from "../keys/key-name.ts";
import type { Focusable } from "../screen/component.ts";
import type { TextComponent } from "../screen/question-slot.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";
import { DiffRows } from "../tools/diff-rows.ts";

type Hunk = NonNullable<FileChange["hunks"]>[number];
/** A file, or one of its hunks. */
interface Row {
  change: FileChange;
  hunk?: Hunk;
}

export interface PartPickerParts {
  title: string;
  chosen: ChosenParts;
  theme: Theme;
  keys: EditorKeys;
  /** Rows of the window. */
  rows(): number;
  /** Opens the text of the file in the user's editor. */
  onEdit(change: FileChange): void;
  /** Shows all rows of a diff. */
  onView(diff: DiffRows): void;
  /** Receives false if the user goes back without a decision. */
  onDone(isDecided: boolean): void;
}

const BOXES: Readonly<Record<Chosen, string>> = { all: "[x]", some: "[~]", none: "[ ]" };
const MAX_LIST = 10;
const MIN_LIST = 3;
const MIN_DIFF = 4;
/** Rows used by the frame, the heading, the hints, and the lines below a question. */
const ROWS_AROUND = 10;
const STEPS = {
  "tui.select.up": -1,
  "tui.select.down": 1,
  "tui.select.pageUp": -MAX_LIST,
  "tui.select.pageDown": MAX_LIST,
} as const;
type Step = keyof typeof STEPS;
const KEYS = Object.keys(STEPS) as Step[];

/** Lists the files and hunks of a staged change with a box for each, and shows the change of the selected one. */
export class PartPicker implements TextComponent, Focusable {
  readonly takesText = false;
  focused = false;
  readonly #parts: PartPickerParts;
  #index = 0;

  constructor(parts: PartPickerParts) {
    this.#parts = parts;
  }

  hasKey(character: string): boolean {
    return Object.hasOwn(this.#actions, character);
  }

  handleInput(data: string): void {
    const { keys, chosen, onDone } = this.#parts;
    const text = typedText(data);
    if (text !== undefined) this.#actions[text]?.();
    else if (keys.matches(data, "tui.select.cancel")) onDone(false);
    else if (!keys.matches(data, "tui.select.confirm")) this.#move(keys.find(data, KEYS));
    else if (chosen.answer !== undefined) onDone(true);
  }

  render(width: number): string[] {
    const { title, theme, rows, chosen } = this.#parts;
    const all = this.#rows;
    const room = Math.max(MIN_LIST + MIN_DIFF, rows() - ROWS_AROUND);
    const listed = Math.min(all.length, MAX_LIST, Math.max(MIN_LIST, Math.floor(room / 2)));
    const first = Math.max(0, Math.min(this.#index - Math.floor(listed / 2), all.length - listed));
    const { chosen: count, all: total } = chosen.counts;
    const answer = count === 0 ? "nothing is chosen" : `enter applies ${count} of ${total}`;
    const hints = ["space chooses", "a all or none", "e edits the file", "v views the change", "escape goes back"];
    return [
      theme.accent("─".repeat(width)),
      truncated(theme.bold(`${title}: which parts are applied?`), width),
      ...all.slice(first, first + listed).map((row, index) => this.#row(row, first + index === this.#index, width)),
      ...(all.length > listed ? [theme.dim(`  (${this.#index + 1}/${all.length})`)] : []),
      ...this.#change(all[this.#index]!, width, room - listed),
      truncated(count === 0 ? theme.warning(answer) : theme.accent(answer), width),
      ...wrapped(theme.dim(hints.join(" · ")), width),
    ];
  }

  get #rows(): Row[] {
    const { chosen } = this.#parts;
    return chosen.changes.flatMap((change) => {
      const hunks = chosen.editOf(change) === undefined ? (change.hunks ?? []) : [];
      return [{ change }, ...hunks.map((hunk) => ({ change, hunk }))];
    });
  }

  readonly #actions: Readonly<Record<string, () => void>> = {
    " ": () => {
      const { chosen } = this.#parts;
      const { change, hunk } = this.#selected;
      if (hunk) chosen.set(hunk.hunkId, !chosen.has(hunk.hunkId));
      else chosen.setAll(chosen.of(change) !== "all", change);
    },
    a: () => this.#parts.chosen.setAll(this.#parts.chosen.of() !== "all"),
    e: () => {
      const { change } = this.#selected;
      if (isEditable(change)) this.#parts.onEdit(change);
    },
    v: () => this.#parts.onView(this.#diff(this.#selected)),
  };

  /** An edit may have removed the rows of hunks. */
  get #selected(): Row {
    this.#index = Math.min(this.#index, this.#rows.length - 1);
    return this.#rows[this.#index]!;
  }

  #move(step: Step | undefined): void {
    const index = this.#index + (step === undefined ? 0 : STEPS[step]);
    this.#index = Math.max(0, Math.min(index, this.#rows.length - 1));
  }

  #row({ change, hunk }: Row, isSelected: boolean, width: number): string {
    const { chosen, theme } = this.#parts;
    const isEdited = chosen.editOf(change) !== undefined;
    const state = hunk ? (chosen.has(hunk.hunkId) ? "all" : "none") : chosen.of(change);
    const { added, removed } = hunk ? hunkCounts(hunk) : change;
    const facts = [
      ...(hunk ? [] : changeFacts(change)),
      ...(isEdited ? ["edited"] : change.binary ? [] : [`+${added} −${removed}`]),
    ];
    const name = hunk ? `  ${BOXES[state]} ${hunkPlace(hunk)}` : `${BOXES[state]} ${shownText(change.path)}`;
    const end = `  ${shownText(facts.join(", "))}`;
    const label = truncated(name, Math.max(8, width - 2 - end.length));
    return isSelected ? theme.accent(`→ ${label}${end}`) : truncated(`  ${label}${theme.dim(end)}`, width);
  }

  #change(row: Row, width: number, room: number): string[] {
    const { theme, chosen } = this.#parts;
    if (chosen.editOf(row.change) !== undefined) {
      return wrapped(theme.dim("Your text replaces the proposed one. e opens it again."), width);
    }
    const { rows, hidden } = this.#diff(row).short(width, Math.max(MIN_DIFF, room));
    return hidden === 0 ? rows : [...rows, theme.warning(`… ${hidden} more lines: v shows everything`)];
  }

  #diff({ change, hunk }: Row): DiffRows {
    const hunks = hunk ? [hunk] : (change.hunks ?? []);
    return new DiffRows(hunks.map(hunkDiff).join("\n"), this.#parts.theme);
  }
}
