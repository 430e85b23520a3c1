import type { PermitCall } from "@pintle/agent";
import type { CallKind } from "../../checkpoints/tracking/call-tracker.ts";
import { type CommandPlace, commandFacts } from "../../permissions/command/command-facts.ts";
import { resolveToolPath } from "../../tools/shared/paths.ts";
import { facetsOf } from "../../tools/tool-facets.ts";

const TASK = "task";

export interface CallKindParts {
  cwd(): string;
  /** Returns the origin of a tool as permission rules name it. */
  originOf(tool: string): string;
  commandPlace(): Pick<CommandPlace, "isInside" | "containsKeys" | "shellPath">;
}

/** Returns how the changes of a call are found, or undefined if it changes no files. */
export function callKind(
  { tool, args }: PermitCall,
  { cwd, originOf, commandPlace }: CallKindParts,
): CallKind | undefined {
  const origin = originOf(tool.name);
  if (origin !== "builtin") {
    // A host is trusted to describe its own tools. Annotations of others decide nothing.
    return origin === "host" && tool.annotations?.readOnlyHint === true ? undefined : "workspace";
  }
  const { access, files } = facetsOf(tool.name);
  if (access?.kind === "write" || access?.kind === "preview" || files === "changes") return "files";
  if (tool.name === TASK) return "workspace"; // its subagents may change anything
  if (access?.kind !== "execute") return undefined;
  const command = access.command(args);
  const directory = command.cwd === undefined ? cwd() : resolveToolPath(command.cwd, cwd());
  const { reading } = commandFacts(command.text, {
    ...commandPlace(),
    project: cwd(),
    cwd: directory,
    hasOwnEnvironment: command.hasOwnEnvironment,
    isConfined: false,
  });
  return reading?.readOnlyPrograms.every(Boolean) ? undefined : "workspace";
}
