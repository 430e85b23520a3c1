import type { PermissionRequest } from "@pintle/wire";

export type { PermissionRequest } from "@pintle/wire";

export type RequestKind = PermissionRequest["kind"];
export type RequestPath = NonNullable<PermissionRequest["paths"]>[number];
export type RequestCommand = NonNullable<PermissionRequest["command"]>;

/** A command of which every program is known. */
export interface CommandReading {
  /** Per program: whether it is known to change nothing and to read only files inside. */
  readOnlyPrograms: readonly boolean[];
  /** Per program: whether the shell replaces one of its words with names of files. */
  patternPrograms: readonly boolean[];
  /** Runs in place of the original text where a rule or a preset allows the command. */
  script: string;
}

/** What is known of a request beyond what is shown of it. */
export interface JudgedRequest {
  request: PermissionRequest;
  /** What is certain about a command; undefined for other requests and for opaque commands. */
  reading?: CommandReading;
  /** Runs in a sandbox of full strength. */
  isSandboxed: boolean;
  /** A tool that the host runs itself, where no host has said that it answers questions: all it gets is the call. */
  isLeftToHost: boolean;
}
