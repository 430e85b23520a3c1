import type { NestedTools, Tool, ToolAnnotations, ToolInvocation } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import type { ExtensionContext, ExtensionToolContext, ToolDefinition } from "../api/extension-types.ts";
import { progressOf, toToolResult } from "../api/tool-results.ts";
import { type CheckedTool, checkTool } from "../custom-tools/check-tool.ts";
import { asUsersCode } from "../loading/watchdog.ts";
import { extended } from "./extended.ts";
import type { RegisteredTool } from "./extension-instance.ts";

/** The extension that registers a tool. */
interface ToolOwner {
  path: string;
  context(): ExtensionContext;
  /** Throws if another instance has replaced this one. */
  requireLive(): void;
}

/**
 * The ways to expose a tool. pintle has no scripts that call tools, so it also offers `codemode` and `deferred` tools to the
 * model.
 */
const EXPOSURES: ReadonlySet<unknown> = new Set(["direct", "model-only", "codemode", "deferred", "hidden"]);

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Reads what the author claims about the tool, for the person who decides about its calls. */
function readAnnotations(given: unknown): ToolAnnotations | undefined {
  if (!isRecord(given)) return undefined;
  const known = HINTS.flatMap((hint) => (typeof given[hint] === "boolean" ? [[hint, given[hint]]] : []));
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** Converts an extension's tool to the form that the loop uses. Returns a string that says what is wrong if it cannot be used. */
export function adaptExtensionTool(
  value: unknown,
  { path, context, requireLive }: ToolOwner,
): (RegisteredTool & { isUnreachable: boolean }) | string {
  const checked = checkTool(withLabel(value));
  if (typeof checked === "string") return checked;
  // Read once, because the module may change the object later.
  const definition = value as ToolDefinition;
  const { exposure, defaultInactive, defaultActive } = definition;
  if (exposure !== undefined && !EXPOSURES.has(exposure))
    return `Invalid exposure of tool "${checked.name}"; use one of ${[...EXPOSURES].join(", ")}`;
  const isHidden = checked.isHidden || defaultInactive === true || defaultActive === false;
  return {
    tool: toTool(checked, definition, { path, context, requireLive }),
    isHidden,
    isUnreachable: exposure === "hidden",
    path,
    onSession: (event) => definition.onSession?.(event, context()),
  };
}

function toTool(checked: CheckedTool, definition: ToolDefinition, { context, requireLive }: ToolOwner): Tool {
  const { name, label, description, parameters, isDeferrable, texts } = checked;
  const { executionMode, prepareArguments, exposure } = definition;
  const annotations = readAnnotations(definition.annotations);
  return {
    name,
    label,
    description,
    parameters,
    ...texts,
    ...(isDeferrable && { deferrable: true }),
    ...(annotations && { annotations }),
    ...(exposure === "model-only" && { modelOnly: true }),
    ...(executionMode === "sequential" && { concurrency: "exclusive" as const }),
    ...(typeof prepareArguments === "function" && {
      prepareArguments: (args) => prepareArguments.call(definition, args) as Record<string, unknown>,
    }),
    execute: async (args, call) => {
      const ctx = toolContext(context(), call, requireLive);
      const run = () => definition.execute(call.id, args, call.signal, progressOf(call), ctx);
      return toToolResult(await asUsersCode(`the tool ${name}`, run));
    },
  };
}

function withLabel(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { label, name }: { label?: unknown; name?: unknown } = value;
  return label === undefined ? Object.assign(Object.create(value), { label: name }) : value;
}

/** Returns the `ctx` of a running tool: it can call the other tools of the session. */
function toolContext(
  context: ExtensionContext,
  { nested }: ToolInvocation,
  requireLive: () => void,
): ExtensionToolContext {
  const calls = (): NestedTools => {
    requireLive();
    if (!nested) throw new Error("This tool runs outside a session, so there are no other tools to call");
    return nested;
  };
  return extended(context, {
    get tools() {
      return calls().tools.map(({ name, label, description, parameters }) => ({
        name,
        label,
        description,
        parameters,
      }));
    },
    async executeTool(name, args, { signal, onUpdate } = {}) {
      if (typeof name !== "string") throw new TypeError("executeTool takes the name of a tool");
      if (!isRecord(args)) throw new TypeError("executeTool takes the arguments of the tool as an object");
      return calls().call(name, structuredClone(args), {
        ...(signal && { signal }),
        ...(onUpdate && { onUpdate: progressOf({ update: onUpdate }) }),
      });
    },
  } satisfies Omit<ExtensionToolContext, keyof ExtensionContext>);
}
