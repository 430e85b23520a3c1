import type { AskContext, AskDialogOptions } from "../../tools/ask.ts";

/** What the session's own tools and its servers may ask of a person. */
export interface SessionDialogs extends AskContext {
  confirm(title: string, message: string, dialog: AskDialogOptions): Promise<boolean>;
  /** False: the host shows no dialogs at this time. */
  canAsk?(): boolean;
}

/** Without a host every question stays without an answer. */
export const NO_DIALOGS: SessionDialogs = {
  select: async () => undefined,
  input: async () => undefined,
  confirm: async () => false,
  canAsk: () => false,
};
