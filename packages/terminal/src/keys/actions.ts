interface ActionRow {
  /** The help shows the first key. */
  keys: readonly string[];
  /** The description in the list of keys. */
  help: string;
  /** Whether it also applies while a question or a picker has the keyboard focus. */
  always?: true;
}

/**
 * One row per action, with its default keys. The help, docs/terminal.md and the setting `terminal.keys` derive from it. If an
 * action has no handler, or its handler returns false, the editor gets the key.
 */
export const ACTIONS = {
  submit: { keys: ["enter"], help: "send the message; while a run is active it steers the run" },
  followUp: { keys: ["alt+enter"], help: "send the message when the run has ended" },
  newLine: { keys: ["shift+enter", "ctrl+j"], help: "a new line in the message" },
  answer: { keys: ["tab"], help: "answer the question that is shown; again: back to the message", always: true },
  abort: { keys: ["escape"], help: "close what is open, or abort the run; twice without a run: go back in the tree" },
  quit: { keys: ["ctrl+c"], help: "clear the editor; twice: quit", always: true },
  quitEmpty: { keys: ["ctrl+d"], help: "quit, when the editor is empty" },
  suspend: { keys: ["ctrl+z"], help: "suspend; `fg` comes back", always: true },
  cyclePermissions: {
    keys: ["shift+tab"],
    help: "the next permission preset: plan, ask, workspace; /permissions full is typed",
  },
  pickModel: { keys: ["ctrl+p"], help: "choose a model" },
  cycleThinking: { keys: ["ctrl+t"], help: "the next thinking level" },
  pickSession: { keys: ["ctrl+s"], help: "choose a session; in the list: search, rename, delete" },
  searchHistory: { keys: ["ctrl+r"], help: "search the messages you have sent" },
  externalEditor: { keys: ["ctrl+g"], help: "write the message in $VISUAL or $EDITOR" },
  pasteImage: { keys: ["ctrl+v", "alt+v"], help: "put the image in the clipboard into the message" },
  background: {
    keys: ["ctrl+b"],
    help: "while a command runs: move it to the background, so that the agent continues; otherwise cursor left",
  },
  expand: { keys: ["ctrl+o"], help: "unfold thinking or output, the newest first; again for the one before" },
  expandAll: { keys: ["alt+o"], help: "unfold everything from now on; again: fold as before" },
  foldTodos: { keys: ["alt+t"], help: "fold or unfold the todo list above the editor" },
  takeBackQueue: { keys: ["alt+up"], help: "take queued messages back into the editor" },
  help: { keys: ["?"], help: "this help, when the editor is empty" },
} as const satisfies Record<string, ActionRow>;

export type ActionName = keyof typeof ACTIONS;
