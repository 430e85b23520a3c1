import { h, replaceChildren } from "../../dom.ts";
import type { OpenSession } from "../state/open-session.ts";
import { readTyped, type Suggestion, suggestions, type Typed } from "./completion-source.ts";

export interface Completion {
  readonly element: HTMLElement;
  readonly isOpen: boolean;
  /** The text or the cursor has changed. */
  look(): void;
  /** Returns true if the list handled the key. */
  key(event: KeyboardEvent): boolean;
  close(): void;
}

/** The list above the field: arrow keys choose, Enter or Tab accepts, Escape closes. The focus stays in the field. */
export function createCompletion(field: HTMLTextAreaElement, session: () => OpenSession | undefined): Completion {
  const element = h("ul", { class: "completion", id: "completion", role: "listbox", "aria-label": "Completions" });
  let shown: readonly Suggestion[] = [];
  let typed: Typed | undefined;
  let chosen = 0;
  /** Responses to older requests are ignored. */
  let questions = 0;

  function show(next: readonly Suggestion[]): void {
    shown = next;
    chosen = 0;
    replaceChildren(element, shown.map(option));
    element.hidden = shown.length === 0;
    mark();
  }

  function option({ label, hint }: Suggestion, at: number): HTMLElement {
    return h(
      "li",
      // A click would take the focus out of the field.
      {
        role: "option",
        id: `completion-${at}`,
        onmousedown: (event: Event) => event.preventDefault(),
        onclick: () => take(at),
      },
      h("span", { class: "completion-label" }, label),
      hint !== undefined && h("span", { class: "completion-hint" }, hint),
    );
  }

  function mark(): void {
    for (const [at, item] of [...element.children].entries()) item.setAttribute("aria-selected", String(at === chosen));
    element.children[chosen]?.scrollIntoView({ block: "nearest" });
    if (shown.length > 0) field.setAttribute("aria-activedescendant", `completion-${chosen}`);
    else field.removeAttribute("aria-activedescendant");
  }

  function take(at: number): void {
    const suggestion = shown[at];
    if (!suggestion || !typed) return;
    field.setRangeText(suggestion.text, typed.start, field.selectionStart, "end");
    show([]);
    if (suggestion.isOpen) look();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function look(): void {
    const open = session();
    typed = field.selectionStart === field.selectionEnd ? readTyped(field.value, field.selectionStart) : undefined;
    questions += 1;
    const question = questions;
    if (!open || !typed) {
      show([]);
      return;
    }
    suggestions(open, typed)
      .then((found) => {
        if (question === questions) show(found);
      })
      .catch(() => show([])); // without a list, the input is used as typed
  }

  const move = (by: number) => {
    chosen = (chosen + by + shown.length) % shown.length;
    mark();
  };
  const KEYS: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => take(chosen),
    Tab: () => take(chosen),
    Escape: () => close(),
  };
  /** The whole name is typed, so Enter sends the message. */
  function isWhole(): boolean {
    const whole = shown[chosen]?.text.trim();
    return typed !== undefined && whole === field.value.slice(typed.start, field.selectionStart);
  }

  function close(): void {
    questions += 1;
    show([]);
  }

  show([]);
  return {
    element,
    get isOpen() {
      return shown.length > 0;
    },
    look,
    close,
    key(event) {
      const act = shown.length > 0 && !event.shiftKey ? KEYS[event.key] : undefined;
      if (!act || (event.key === "Enter" && isWhole())) return false;
      event.preventDefault();
      act();
      return true;
    },
  };
}
