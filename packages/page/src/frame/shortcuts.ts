import { h } from "../dom.ts";

export interface Shortcut {
  key: string;
  /** Label to show instead of the key. */
  shown?: string;
  does: string;
  act(): void;
}

/**
 * Handles keys outside input fields and questions. A dialog lists them together with `others`, which are handled
 * elsewhere.
 */
export function installShortcuts(
  shortcuts: readonly Shortcut[],
  others: readonly (readonly [key: string, does: string])[] = [],
): { help: HTMLDialogElement } {
  const byKey = new Map(shortcuts.map((shortcut) => [shortcut.key, shortcut]));
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const isTyping =
      target instanceof HTMLElement && target.closest("input, textarea, select, dialog, .slot-questions") !== null;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const shortcut = byKey.get(key);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.act();
  });
  const help = h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    h(
      "dl",
      {},
      [...others, ...shortcuts.map(({ key, shown = key, does }) => [shown, does] as const)].map(([shown, does]) => [
        h("dt", {}, h("kbd", {}, shown)),
        h("dd", {}, does),
      ]),
    ),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  return { help };
}
