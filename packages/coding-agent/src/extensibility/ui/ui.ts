export interface DialogOptions {
  /** After this many milliseconds the dialog closes and returns its default. Otherwise the mode's own limit applies. */
  timeout?: number;
  signal?: AbortSignal;
  onTimeout?(): void;
}

export interface SelectOption {
  label: string;
  description?: string;
}

export type NotifyType = "info" | "warning" | "error";
export type WidgetPlacement = "aboveEditor" | "belowEditor";

/** What an extension may ask a person, in every mode. No answer means no. */
export interface Dialogs {
  /** Returns the label of the chosen option, which may be one that was not offered. */
  select(
    title: string,
    options: readonly (string | SelectOption)[],
    dialog?: DialogOptions,
  ): Promise<string | undefined>;
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
  editor(
    title: string,
    prefill?: string,
    dialog?: DialogOptions & { promptStyle?: boolean },
  ): Promise<string | undefined>;
}

/** Style functions of a terminal; without one they return their text unchanged. */
export interface Theme {
  fg(color: string, text: string): string;
  bg(color: string, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  inverse(text: string): string;
  strikethrough(text: string): string;
  getFgAnsi(color: string): string;
  getBgAnsi(color: string): string;
}

/** What only a terminal can do. Elsewhere every call is harmless and returns what it would return for an empty terminal. */
export interface TerminalUi {
  custom(...args: unknown[]): Promise<undefined>;
  getEditorText(): string;
  readonly theme: Theme;
  getAllThemes(): { name: string; path: string | undefined }[];
  getTheme(name: string): Theme | undefined;
  setTheme(theme: unknown): { success: boolean; error?: string };
  /** Returns a function that unsubscribes the handler. */
  onTerminalInput(handler: unknown): () => void;
  setFooter(factory: unknown): void;
  setHeader(factory: unknown): void;
  setEditorComponent(factory: unknown): void;
  getEditorComponent(): undefined;
  addAutocompleteProvider(factory: unknown): void;
  setWorkingMessage(message?: string): void;
  setWorkingVisible(visible: boolean): void;
  setWorkingIndicator(options?: unknown): void;
  setHiddenThinkingLabel(label?: string): void;
  getToolsExpanded(): boolean;
  setToolsExpanded(expanded: boolean): void;
}

/** `ctx.ui`. Its functions do not use `this`, because extensions pass them around. */
export interface ExtensionUi extends Dialogs, TerminalUi {
  /** Set if messages can be shown but dialogs cannot; extensions then see no user interface. */
  readonly isOneWay?: true;
  notify(message: string, type?: NotifyType): void;
  /** Removes the status if `text` is missing. */
  setStatus(key: string, text?: string): void;
  /** Accepts lines of text; a component needs a terminal. Without content, removes the widget. */
  setWidget(key: string, content?: unknown, options?: { placement?: WidgetPlacement }): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
  pasteToEditor(text: string): void;
}
