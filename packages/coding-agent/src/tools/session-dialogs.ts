import type { AskContext, AskDialogOptions } from "./ask.ts";

/** Dialogs with which the session's tools and MCP servers ask the user. */
export interface SessionDialogs extends AskContext {
  confirm(title: string, message: string, dialog: AskDialogOptions): Promise<boolean>;
  /** Returns false while the host shows no dialogs. */
  canAsk?(): boolean;
}

/** Dialogs without a host: every question stays unanswered. */
export const NO_DIALOGS: SessionDialogs = {
  select: async () => undefined,
  input: async () => undefined,
  confirm: async () => false,
  canAsk: () => false,
};
