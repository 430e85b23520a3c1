import type { PermitCall } from "@pintle/agent";
import { canonicalPath, visibleName } from "@pintle/foundation";
import { commandFacts } from "../../permissions/command/command-facts.ts";
import type { JudgedRequest, PermissionRequest, RequestPath } from "../../permissions/request.ts";
import type { ShellCall } from "../../tools/define-tool.ts";
import { resolveToolPath } from "../../tools/shared/paths.ts";
import { facetsOf } from "../../tools/tool-facets.ts";

export interface JudgeParts {
  cwd(): string;
  /** Whether a real path is inside the workspace. */
  isInside(real: string): boolean;
  /** Whether a directory, by its real path, contains keys that no tool may read. */
  containsKeys(real: string): boolean;
  /** Returns the origin of a tool: `builtin`, `custom`, `host`, or `mcp:` with the name of a server. */
  originOf(tool: string): string;
  /** Whether a host has declared that it answers questions. */
  isAnswered(): boolean;
  /** Whether commands run in a sandbox of full strength. */
  isSandboxed(): boolean;
  /** Whether commands run in a sandbox of any strength, unless they ask to leave it. */
  hasSandbox(): boolean;
  /** Whether it matters which programs a command starts. If so, the shell grammar is loaded. */
  readsCommands(): boolean;
  /** Returns the configured shell. */
  shellPath(): string | undefined;
  /** Whether the host resolves a path as one of its URIs. */
  isHostUri(path: string): boolean;
  /** Returns the files of the newest preview, or undefined if it names none. */
  previewedPaths(): readonly string[] | undefined;
}

/** Determines what a call would do. Throws a message for the model if the call names something that is not a path. */
export function judgeCall(call: PermitCall, parts: JudgeParts): JudgedRequest {
  const { tool, id, args } = call;
  const origin = parts.originOf(tool.name);
  const { annotations } = tool;
  const named = { toolCallId: id, tool: tool.name, origin, title: titleOf(call, origin) };
  // Shown to the user who is asked. Annotations of servers are unverified and decide nothing here.
  const about = { ...named, ...(annotations && { annotations }) };
  // Another tool may use the name of a built-in one; what it does is unknown.
  if (origin !== "builtin") {
    // A host is trusted to describe its own tools. Annotations of others decide nothing.
    if (origin === "host" && annotations?.readOnlyHint === true) return plain({ ...about, kind: "read" });
    const isLeftToHost = origin === "host" && !parts.isAnswered();
    return { ...plain({ ...about, kind: "execute" }), isLeftToHost };
  }
  const { access } = facetsOf(tool.name);
  if (access?.kind === "execute") return judgeCommand(about, access.command(args), parts);
  if (access?.kind === "preview") {
    if (!access.applies(args)) return plain({ ...about, kind: "other" });
    const paths = parts.previewedPaths()?.map((path) => requestPath(path, "write", parts.cwd()));
    return plain({ ...about, kind: "write", ...(paths && { paths }) });
  }
  if (access) {
    const isUri = (path: string) => access.takesUris === true && parts.isHostUri(path);
    // A URI is its own real path, so it is never inside the workspace, and approving it does not approve a file of that
    // name.
    const paths = access
      .paths(args)
      .map((path) =>
        isUri(path) ? { path, real: path, access: access.kind } : requestPath(path, access.kind, parts.cwd()),
      );
    return plain({ ...about, kind: access.kind, paths });
  }
  return plain({ ...about, kind: "other" });
}

type About = Pick<PermissionRequest, "toolCallId" | "tool" | "origin" | "title" | "annotations">;

const plain = (request: PermissionRequest): JudgedRequest => ({
  request,
  isSandboxed: false,
  isLeftToHost: false,
});

function judgeCommand(shown: About, call: ShellCall, parts: JudgeParts): JudgedRequest {
  const { text, cwd, hasOwnEnvironment } = call;
  const isLeaving = call.escalation !== undefined && parts.hasSandbox();
  const about = { ...shown, ...(isLeaving && { escalation: visibleName(call.escalation ?? "") }) };
  if (!parts.readsCommands()) {
    const command = { text, programs: "opaque" as const };
    return { ...plain({ ...about, kind: "execute", command }), isSandboxed: parts.isSandboxed() };
  }
  const directory = cwd === undefined ? parts.cwd() : resolveToolPath(cwd, parts.cwd());
  const isConfined = parts.isSandboxed() && !isLeaving;
  const { isInside, containsKeys, shellPath } = parts;
  const place = {
    project: parts.cwd(),
    cwd: directory,
    isInside,
    containsKeys,
    hasOwnEnvironment,
    isConfined,
    shellPath: shellPath(),
  };
  const { paths, reading, ...facts } = commandFacts(text, place);
  const command = {
    ...facts.command,
    ...(cwd !== undefined && { cwd: directory }),
    ...(call.env && { env: call.env }),
  };
  return {
    ...plain({ ...about, kind: "execute", command, ...(paths.length > 0 && { paths }) }),
    ...(reading && { reading }),
    isSandboxed: parts.isSandboxed(),
  };
}

function requestPath(path: string, access: RequestPath["access"], cwd: string): RequestPath {
  const absolute = resolveToolPath(path, cwd);
  return { path: absolute, real: canonicalPath(absolute), access };
}

/**
 * Returns one line, so that a user sees at a glance what is asked. For an unknown tool it contains all arguments. Characters that
 * reverse or hide text are escaped, so that `exe.txt` is not shown for a name that ends differently.
 */
function titleOf({ tool, args }: PermitCall, origin: string): string {
  const subject = origin === "builtin" ? (facetsOf(tool.name).headline?.(args) ?? mainText(args)) : allText(args);
  const line = `${tool.name} ${subject}`.replace(/\s+/g, " ").trim();
  return visibleName(line);
}

type Arguments = PermitCall["args"];

function mainText({ path, command }: Arguments): string {
  return [command, path].find((value) => typeof value === "string") ?? "";
}

function allText(args: Arguments): string {
  const values = Object.values(args);
  const [only] = values;
  if (values.length === 1 && typeof only === "string") return only;
  return values.length === 0 ? "" : JSON.stringify(args);
}
