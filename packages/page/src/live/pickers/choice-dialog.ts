import { h, replaceChildren } from "../../dom.ts";
import { type Choice, filterChoices } from "./filter-choices.ts";

/** More rows would slow the page down; the search finds the rest. */
const MOST_SHOWN = 100;

export interface ChoiceDialog {
  readonly element: HTMLDialogElement;
  open(choices: readonly Choice[], current: string | undefined): void;
}

/** A searchable list: arrows move, Enter selects, Escape cancels. */
export function createChoiceDialog(title: string, choose: (id: string) => void): ChoiceDialog {
  const name = title.toLowerCase().replace(/\W+/g, "-");
  const listId = `${name}-choices`;
  const field = h("input", {
    type: "text",
    class: "search",
    role: "combobox",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": `Search: ${title}`,
    placeholder: "Search",
    "aria-expanded": "true",
    "aria-controls": listId,
    "aria-autocomplete": "list",
  });
  const list = h("ul", { id: listId, role: "listbox", "aria-label": title, class: "choices" });
  const element = h(
    "dialog",
    { class: "choice-dialog", "aria-labelledby": `${name}-title` },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: `${name}-title` }, title),
      h("button", { class: "quiet-button", "aria-label": "Close", value: "close", formnovalidate: true }, "✕"),
    ),
    field,
    list,
  );
  let choices: readonly Choice[] = [];
  let shown: Choice[] = [];
  let current: string | undefined;
  let active = 0;

  function draw(): void {
    shown = filterChoices(choices, field.value).slice(0, MOST_SHOWN);
    active = Math.max(0, Math.min(active, shown.length - 1));
    replaceChildren(
      list,
      shown.map(({ id, label, detail }, at) =>
        h(
          "li",
          {
            id: `${listId}-${at}`,
            role: "option",
            class: at === active ? "active" : "",
            "aria-selected": String(id === current),
            onclick: () => take(at),
          },
          h("span", {}, label),
          detail !== undefined && h("small", {}, detail),
        ),
      ),
      shown.length === 0 &&
        h("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "Nothing fits"),
    );
    if (shown.length > 0) field.setAttribute("aria-activedescendant", `${listId}-${active}`);
    else field.removeAttribute("aria-activedescendant");
    list.querySelector(".active")?.scrollIntoView({ block: "nearest" });
  }

  function take(at: number): void {
    const chosen = shown[at];
    if (!chosen) return;
    element.close();
    if (chosen.id !== current) choose(chosen.id);
  }

  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => take(active),
  };
  function move(by: 1 | -1): void {
    active = shown.length === 0 ? 0 : (active + by + shown.length) % shown.length;
    draw();
  }
  field.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  field.addEventListener("input", () => {
    active = 0;
    draw();
  });
  // A click outside the dialog.
  element.addEventListener("click", (event) => {
    if (event.target === element) element.close();
  });
  return {
    element,
    open(all, now) {
      [choices, current, field.value] = [all, now, ""];
      active = Math.max(
        0,
        choices.findIndex(({ id }) => id === now),
      );
      element.showModal();
      draw();
      field.focus();
    },
  };
}
