import type { ExtensionUi, Theme } from "./ui.ts";

/** Extensions are foreign code, so what they want to show may not be a string. */
export const toText = (value: unknown) => (typeof value === "string" ? value : String(value ?? ""));

const nothing = () => {};
const plain = (text: string) => text;
const plainAfterColor = (_color: string, text: string) => text;

const plainTheme: Theme = {
  fg: plainAfterColor,
  bg: plainAfterColor,
  bold: plain,
  dim: plain,
  italic: plain,
  underline: plain,
  inverse: plain,
  strikethrough: plain,
  getFgAnsi: () => "",
  getBgAnsi: () => "",
};

/** For modes without a user: every dialog returns its default immediately, and everything else does nothing. */
export const noUi: ExtensionUi = {
  select: async () => undefined,
  confirm: async () => false,
  input: async () => undefined,
  editor: async () => undefined,
  notify: nothing,
  setStatus: nothing,
  setWidget: nothing,
  setTitle: nothing,
  setEditorText: nothing,
  pasteToEditor: nothing,
  custom: async () => undefined,
  getEditorText: () => "",
  theme: plainTheme,
  getAllThemes: () => [],
  getTheme: () => undefined,
  setTheme: () => ({ success: false, error: "Themes need a terminal" }),
  onTerminalInput: () => nothing,
  setFooter: nothing,
  setHeader: nothing,
  setEditorComponent: nothing,
  getEditorComponent: () => undefined,
  addAutocompleteProvider: nothing,
  setWorkingMessage: nothing,
  setWorkingVisible: nothing,
  setWorkingIndicator: nothing,
  setHiddenThinkingLabel: nothing,
  getToolsExpanded: () => false,
  setToolsExpanded: nothing,
};

/** For modes that can show messages but not ask. */
export function oneWayUi(notify: ExtensionUi["notify"]): ExtensionUi {
  return { ...noUi, notify: (message, type) => notify(toText(message), type), isOneWay: true };
}

/** The value of `hasUI` for extensions. */
export function canAsk(ui: ExtensionUi | undefined): boolean {
  return ui !== undefined && !ui.isOneWay;
}
