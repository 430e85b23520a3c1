import { ACTIONS, type ActionName } from "./actions.ts";
import { type EditorKeys, isEditorAction } from "./editor-keys.ts";
import { keyName, normalKey } from "./key-name.ts";

/** Returns false if the key is not for this action now. */
type Handler = () => unknown;

/** Editor keys that derive from actions. */
const EDITOR_KEYS = { "tui.input.submit": "submit", "tui.input.newLine": "newLine" } as const;

/** Maps keys to actions and calls their handlers. */
export class KeyBindings {
  readonly #handlers = new Map<ActionName, Handler>();
  #keys = new Map<ActionName, readonly string[]>();
  readonly #isEditing: () => boolean;
  /** The keys inside the editor and inside lists. */
  readonly editor: EditorKeys;

  /**
   * `isEditing` returns whether the editor has the keyboard focus. While a question has it, only actions marked `always`
   * apply.
   */
  constructor(isEditing: () => boolean, editor: EditorKeys) {
    this.#isEditing = isEditing;
    this.editor = editor;
    this.use({});
  }

  /** Replaces default keys with the user's. Returns a message for each problem with them. */
  use(own: Readonly<Record<string, readonly string[]>>): string[] {
    const problems: string[] = [];
    for (const name of Object.keys(own))
      if (!isAction(name) && !isEditorAction(name)) problems.push(`terminal.keys: there is no action "${name}"`);
    const names = Object.keys(ACTIONS).filter(isAction);
    this.#keys = new Map(names.map((name) => [name, own[name]?.filter((key) => key !== "") ?? ACTIONS[name].keys]));
    if (this.keysOf("answer").length === 0) {
      problems.push(
        `terminal.keys: "answer" needs a key, or no question could be answered while you type; it stays tab`,
      );
      this.#keys.set("answer", ACTIONS.answer.keys);
    }
    const others = Object.entries(own).filter(([name]) => isEditorAction(name));
    const editor = Object.entries(EDITOR_KEYS).map(([id, action]) => [id, [...this.keysOf(action)]]);
    this.editor.use(Object.fromEntries([...others, ...editor]));
    return problems;
  }

  keysOf(name: ActionName): readonly string[] {
    return this.#keys.get(name) ?? [];
  }

  /** Sets the handler of an action. */
  on(name: ActionName, handler: Handler): void {
    this.#handlers.set(name, handler);
  }

  /** Returns true if the key belonged to an action. */
  handle(data: string): boolean {
    const pressed = keyName(data);
    if (pressed === undefined) return false;
    for (const [name, keys] of this.#keys) {
      if (!keys.some((key) => normalKey(key) === pressed)) continue;
      if (!this.#isEditing() && !("always" in ACTIONS[name])) continue;
      const handler = this.#handlers.get(name);
      if (handler && handler() !== false) return true;
    }
    return false;
  }
}

function isAction(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name);
}
