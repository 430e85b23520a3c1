import { h } from "../../dom.ts";
import { installShortcuts } from "../../frame/shortcuts.ts";
import type { LivePart } from "../app.ts";
import { sessionTitle, shortDirectory } from "../sessions/session-rows.ts";
import { createChoiceDialog } from "./choice-dialog.ts";

/** Keys of the message field and of questions, which handle them themselves. */
const FIELD_KEYS = [
  ["Enter", "send the message"],
  ["Alt Enter", "send it when the run has ended"],
  ["Shift Enter", "new line"],
  ["Esc", "stop the run or the command"],
  ["Ctrl B", "move the running command to the background"],
  ["Tab", "answer the current question"],
] as const;
const SESSION = "session:";

/** The list of all actions and their keys. It is the last part because the others add to it. */
export const palette: LivePart = ({ layout, actions, list, open }) => {
  const dialog = createChoiceDialog("Commands", (id) => {
    if (id.startsWith(SESSION)) open({ session: id.slice(SESSION.length) });
    else actions.find(({ label }) => label === id)?.act();
  });
  const show = () => {
    const offered = actions.filter(({ isOffered }) => isOffered?.() ?? true);
    const choices = [
      ...offered.map(({ label, key }) => ({ id: label, label, ...(key !== undefined && { detail: `key ${key}` }) })),
      ...list.listing.value.sessions.map((session) => ({
        id: `${SESSION}${session.sessionId}`,
        label: `Open ${sessionTitle(session)}`,
        detail: shortDirectory(session.cwd, []),
      })),
    ];
    dialog.open(choices, undefined);
  };
  actions.push({ label: "Keyboard shortcuts", key: "?", act: () => help.showModal() });
  const keys = actions.flatMap(({ key, label, act, isOffered }) =>
    key === undefined ? [] : [{ key, does: label.toLowerCase(), act: () => (isOffered?.() ?? true) && act() }],
  );
  const { help } = installShortcuts(keys, [["Ctrl K", "all commands and sessions"], ...FIELD_KEYS]);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (document.querySelector("dialog[open]") === null) show();
  });
  layout.barEnd.append(
    h(
      "button",
      {
        type: "button",
        class: "quiet-button",
        "aria-label": "Commands (Ctrl+K)",
        title: "Commands (Ctrl+K)",
        onclick: show,
      },
      "⌘",
    ),
  );
  document.body.append(dialog.element, help);
};
