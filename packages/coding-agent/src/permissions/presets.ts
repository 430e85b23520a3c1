import { isAbsolute } from "node:path";
import { pathNames } from "@pintle/foundation";
import type { PermissionMode } from "@pintle/wire";
import type { JudgedRequest, RequestKind, RequestPath } from "./request.ts";
import type { Effect } from "./rule.ts";

interface Preset {
  readInside: Effect;
  readOutside: Effect;
  writeInside: Effect;
  writeOutside: Effect;
  /** Decision for programs that are known to change nothing. */
  look: Effect;
  execute: Effect;
  executeSandboxed: Effect;
  network: Effect;
  /** Decision for host tools if the host answers no questions. They act in the host, which may refuse the call. */
  leftToHost: Effect;
}

const PRESETS: Readonly<Record<PermissionMode, Preset>> = {
  plan: {
    readInside: "allow",
    readOutside: "ask",
    writeInside: "deny",
    writeOutside: "deny",
    look: "allow",
    execute: "deny",
    executeSandboxed: "deny",
    network: "ask",
    leftToHost: "deny",
  },
  ask: {
    readInside: "allow",
    readOutside: "ask",
    writeInside: "ask",
    writeOutside: "ask",
    look: "allow",
    execute: "ask",
    executeSandboxed: "ask",
    network: "ask",
    leftToHost: "ask",
  },
  workspace: {
    readInside: "allow",
    readOutside: "allow",
    writeInside: "allow",
    writeOutside: "ask",
    look: "allow",
    execute: "ask",
    executeSandboxed: "allow",
    network: "ask",
    leftToHost: "allow",
  },
  full: {
    readInside: "allow",
    readOutside: "allow",
    writeInside: "allow",
    writeOutside: "allow",
    look: "allow",
    execute: "allow",
    executeSandboxed: "allow",
    network: "allow",
    leftToHost: "allow",
  },
};

/** Returns a preset's decision on a request: the strictest one for any of its paths. */
export function presetEffect(mode: PermissionMode, judged: JudgedRequest, isInside: (real: string) => boolean): Effect {
  const preset = PRESETS[mode];
  const { kind, paths = [], escalation } = judged.request;
  const isConfined = kind === "execute" && judged.isSandboxed && escalation === undefined; // the shell that opens the files is in the sandbox
  const onPaths = isConfined ? [] : paths.map((path) => pathEffect(mode, path, isInside));
  const own: Readonly<Record<RequestKind, Effect>> = {
    read: "allow",
    write: paths.length > 0 ? "allow" : preset.writeOutside,
    execute: executeEffect(preset, judged, escalation !== undefined),
    network: preset.network,
    other: "allow",
  };
  return strictest([own[kind], ...onPaths]);
}

export function pathEffect(
  mode: PermissionMode,
  { real, access }: RequestPath,
  isInside: (real: string) => boolean,
): Effect {
  // A URI of the host is not absolute, and outside wherever the session works.
  const isOwn =
    isAbsolute(real) && isInside(real) && !(access === "write" && pathNames(real).includes(PROJECT_DIRECTORY));
  return PRESETS[mode][`${access}${isOwn ? "Inside" : "Outside"}`];
}

/** Project files for pintle become code, settings and instructions of later sessions, so changing them is not ordinary work. */
const PROJECT_DIRECTORY = ".pintle";

/** A command must never leave the sandbox without a question. */
function executeEffect(preset: Preset, judged: JudgedRequest, leavesSandbox: boolean): Effect {
  if (judged.isLeftToHost) return preset.leftToHost;
  if (leavesSandbox) return strictest([preset.execute, "ask"]);
  if (isReadOnly(judged)) return preset.look;
  return judged.isSandboxed ? preset.executeSandboxed : preset.execute;
}

/** Whether a preset allows a command only because it is read-only. */
export function allowsOnlyReading(mode: PermissionMode, judged: JudgedRequest): boolean {
  const { execute, executeSandboxed } = PRESETS[mode];
  return isReadOnly(judged) && (judged.isSandboxed ? executeSandboxed : execute) !== "allow";
}

function isReadOnly({ reading }: JudgedRequest): boolean {
  return reading !== undefined && reading.readOnlyPrograms.length > 0 && reading.readOnlyPrograms.every(Boolean);
}

const STRICTNESS: readonly Effect[] = ["allow", "ask", "deny"];

export function strictest(effects: readonly Effect[]): Effect {
  return STRICTNESS[Math.max(0, ...effects.map((effect) => STRICTNESS.indexOf(effect)))] ?? "deny";
}
