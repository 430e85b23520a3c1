import { keyName, normalKey } from "./key-name.ts";

/** Keys of the editor and of lists. Users know these names from their settings. */
const DEFAULTS = {
  "tui.editor.cursorUp": ["up"],
  "tui.editor.cursorDown": ["down"],
  "tui.editor.historyPrevious": [],
  "tui.editor.historyNext": [],
  "tui.editor.cursorLeft": ["left", "ctrl+b"],
  "tui.editor.cursorRight": ["right", "ctrl+f"],
  "tui.editor.cursorWordLeft": ["alt+left", "ctrl+left", "alt+b"],
  "tui.editor.cursorWordRight": ["alt+right", "ctrl+right", "alt+f"],
  "tui.editor.cursorLineStart": ["home", "ctrl+home", "ctrl+a"],
  "tui.editor.cursorLineEnd": ["end", "ctrl+end", "ctrl+e"],
  "tui.editor.jumpForward": ["ctrl+]"],
  "tui.editor.jumpBackward": ["ctrl+alt+]"],
  "tui.editor.pageUp": ["pageUp", "ctrl+pageUp"],
  "tui.editor.pageDown": ["pageDown", "ctrl+pageDown"],
  "tui.editor.deleteCharBackward": ["backspace", "shift+backspace"],
  "tui.editor.deleteCharForward": ["delete", "shift+delete", "ctrl+d"],
  "tui.editor.deleteWordBackward": ["ctrl+w", "alt+backspace", "ctrl+backspace"],
  "tui.editor.deleteWordForward": ["alt+d", "alt+delete", "ctrl+delete"],
  "tui.editor.deleteToLineStart": ["ctrl+u"],
  "tui.editor.deleteToLineEnd": ["ctrl+k"],
  "tui.editor.yank": ["ctrl+y"],
  "tui.editor.yankPop": ["alt+y"],
  "tui.editor.undo": ["ctrl+-"],
  "tui.input.newLine": ["shift+enter", "ctrl+j"],
  "tui.input.submit": ["enter"],
  "tui.input.tab": ["tab"],
  "tui.select.up": ["up"],
  "tui.select.down": ["down"],
  "tui.select.pageUp": ["pageUp"],
  "tui.select.pageDown": ["pageDown"],
  "tui.select.confirm": ["enter"],
  "tui.select.cancel": ["escape", "ctrl+c"],
} as const satisfies Record<string, readonly string[]>;

export type EditorAction = keyof typeof DEFAULTS;

export function isEditorAction(name: string): name is EditorAction {
  return Object.hasOwn(DEFAULTS, name);
}

/** Maps keys to actions inside the editor and inside lists. */
export class EditorKeys {
  #keys = keySets({});

  /** Replaces the default keys of the given actions. */
  use(own: Readonly<Record<string, readonly string[]>>): void {
    this.#keys = keySets(own);
  }

  matches(data: string, action: EditorAction): boolean {
    const name = keyName(data);
    return name !== undefined && (this.#keys.get(action)?.has(name) ?? false);
  }

  /** Returns the first action that the key triggers. */
  find<A extends EditorAction>(data: string, actions: readonly A[]): A | undefined {
    const name = keyName(data);
    return name === undefined ? undefined : actions.find((action) => this.#keys.get(action)?.has(name));
  }
}

/** A key that the user assigns to one action is removed from the others that are active at the same time. */
function keySets(own: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, ReadonlySet<string>> {
  const given = Object.entries(own).map(([action, keys]) => [action, keys.map(normalKey)] as const);
  const isTaken = (action: string, key: string) =>
    given.some(([other, keys]) => isInList(other) === isInList(action) && keys.includes(key));
  const defaults = Object.entries(DEFAULTS).map(
    ([action, keys]) => [action, keys.map(normalKey).filter((key) => !isTaken(action, key))] as const,
  );
  return new Map([...defaults, ...given].map(([action, keys]) => [action, new Set(keys)]));
}

function isInList(action: string): boolean {
  return action.startsWith("tui.select.");
}
