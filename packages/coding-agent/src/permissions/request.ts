import type { PermissionRequest } from "@pintle/wire";

export type { PermissionRequest } from "@pintle/wire";

export type RequestKind = PermissionRequest["kind"];
export type RequestPath = NonNullable<PermissionRequest["paths"]>[number];
export type RequestCommand = NonNullable<PermissionRequest["command"]>;

/** What is known of a request beyond what is shown of it. */
export interface JudgedRequest {
  request: PermissionRequest;
  /** Programs known to change nothing, on files inside. */
  isReadOnlyCommand: boolean;
  /** Runs in a sandbox of full strength. */
  isSandboxed: boolean;
  /** A tool that the host runs itself, where no host has said that it answers questions: all it gets is the call. */
  isLeftToHost: boolean;
}
