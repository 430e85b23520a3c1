/** The call that something is done for. */
export interface HostCall {
  id: string;
  signal: AbortSignal;
}

/** Files that a host may have open, with changes that are not on the disk yet. Both throw what the model should read. */
export interface HostFiles {
  /** undefined: the host does not have it, the disk counts. */
  read(path: string, call: HostCall): Promise<string | undefined>;
  /** false: the host does not have it, and nothing was written. */
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
  /** undefined: a signal or a time limit ended it. */
  exitCode: number | undefined;
}

/** Where a host runs commands. Outside of every sandbox of this program. */
export interface HostTerminal {
  run(request: TerminalRequest, call: HostCall): Promise<TerminalEnd>;
}

/** What tools work with in the place of this machine's own. */
export interface HostWorkplace {
  files?: HostFiles;
  terminal?: HostTerminal;
}
