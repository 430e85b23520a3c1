export interface TerminalPrompt {
  text: string;
  images: { type: "image"; data: string; mimeType: string }[];
}

export interface TerminalOptions {
  /** The version of the program. */
  version: string;
  /** Providers that have API keys, for /login. */
  providers: readonly { id: string; name: string }[];
  /** The command that starts an engine. */
  command: readonly string[];
  /** Arguments for the session. */
  args: readonly string[];
  /** A gateway to attach to instead of starting an engine. */
  attach?: { place: string; sessionId?: string };
  /** Prompts to send, one after another, when the session is ready. */
  prompts: readonly TerminalPrompt[];
  /** Whether the user chooses the session first. */
  isPickingSession: boolean;
  cwd: string;
  /** The directory that stores the editor's history. */
  homeDirectory: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the process should end. */
  ending: AbortSignal;
}
