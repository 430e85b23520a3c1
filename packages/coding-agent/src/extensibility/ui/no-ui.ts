import type { ExtensionUi, Theme } from "./ui.ts";

/** Extensions are code of others: what they want to be shown need not be a text. */
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

/** For modes without a reader: every dialog yields its default at once, everything else does nothing. */
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

/** For modes with a reader who is not asked. */
export function oneWayUi(notify: ExtensionUi["notify"]): ExtensionUi {
  return { ...noUi, notify: (message, type) => notify(toText(message), type), isOneWay: true };
}

/** What extensions are told as `hasUI`. */
export function canAsk(ui: ExtensionUi | undefined): boolean {
  return ui !== undefined && !ui.isOneWay;
}
