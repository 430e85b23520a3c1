export interface DialogOptions {
  /** Milliseconds; then the dialog closes and yields its default. Without it the mode has a limit of its own. */
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

/** The few things an extension may ask of a person, in every mode. No answer counts as a no. */
export interface Dialogs {
  /** The label of the chosen option; it may be one that was not offered. */
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

/** Style functions of a terminal; where there is none they give their text back. */
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

/** What only a terminal can do. Elsewhere every call is harmless and says what it would say with nothing there. */
export interface TerminalUi {
  custom(...args: unknown[]): Promise<undefined>;
  getEditorText(): string;
  readonly theme: Theme;
  getAllThemes(): { name: string; path: string | undefined }[];
  getTheme(name: string): Theme | undefined;
  setTheme(theme: unknown): { success: boolean; error?: string };
  /** Gives the function that unsubscribes. */
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

/** `ctx.ui`. Its functions need no `this`: extensions pass them around. */
export interface ExtensionUi extends Dialogs, TerminalUi {
  /** Texts are shown, dialogs are not: for extensions that is no user interface. */
  readonly isOneWay?: true;
  notify(message: string, type?: NotifyType): void;
  /** Without a text the status goes away. */
  setStatus(key: string, text?: string): void;
  /** Lines of text; a component needs a terminal. Without content the widget goes away. */
  setWidget(key: string, content?: unknown, options?: { placement?: WidgetPlacement }): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
  pasteToEditor(text: string): void;
}
