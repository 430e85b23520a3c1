/** The tool call on whose behalf the host acts. */
export interface HostCall {
  id: string;
  signal: AbortSignal;
}

/** Files that a host may have open with unsaved changes. Both functions throw Errors for the model. */
export interface HostFiles {
  /** Resolves to undefined if the host does not have the file open. The file on disk is then used. */
  read(path: string, call: HostCall): Promise<string | undefined>;
  /** Resolves to false if the host does not have the file open and nothing was written. */
  write(path: string, content: string, call: HostCall): Promise<boolean>;
}

export interface TerminalRequest {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
}

export interface TerminalEnd {
  output: string;
  /** Undefined if a signal or a time limit ended it. */
  exitCode: number | undefined;
}

/** Runs commands in the host, outside pintle's sandbox. */
export interface HostTerminal {
  run(request: TerminalRequest, call: HostCall): Promise<TerminalEnd>;
}

/** URIs that a host resolves. Both functions throw Errors for the model. */
export interface HostUris {
  resolves(path: string): boolean;
  read(url: string, call: HostCall): Promise<string>;
  write(url: string, content: string, call: HostCall): Promise<void>;
}

/** Replacements for this machine's files and shell, provided by a host. */
export interface HostWorkplace {
  files?: HostFiles;
  terminal?: HostTerminal;
  uris?: HostUris;
}
