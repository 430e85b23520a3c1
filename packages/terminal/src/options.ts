export interface TerminalPrompt {
  text: string;
  images: { type: "image"; data: string; mimeType: string }[];
}

export interface TerminalOptions {
  /** The version of the program. */
  version: string;
  /** Providers that have API keys, for /login. */
  providers: readonly { id: string; name: string }[];
  /** How an engine is started. */
  command: readonly string[];
  /** What the session is started with. */
  args: readonly string[];
  /** A gateway to attach to, in place of an engine of our own. */
  attach?: { place: string; sessionId?: string };
  /** Sent one after the other when the session is there. */
  prompts: readonly TerminalPrompt[];
  /** The session is to be chosen first. */
  isPickingSession: boolean;
  cwd: string;
  /** Where the history of the editor is kept. */
  homeDirectory: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the process is asked to end. */
  ending: AbortSignal;
}
