import type { PermissionMode } from "@pintle/wire";
import type { JudgedRequest, RequestKind, RequestPath } from "./request.ts";
import type { Effect } from "./rule.ts";

interface Preset {
  readInside: Effect;
  readOutside: Effect;
  writeInside: Effect;
  writeOutside: Effect;
  /** For programs that are known to change nothing. */
  look: Effect;
  execute: Effect;
  executeSandboxed: Effect;
  network: Effect;
  /** A tool of a host that answers no questions. It acts in the host, not here, and the host may refuse it. */
  leftToHost: Effect;
}

const PRESETS: Readonly<Record<PermissionMode, Preset>> = {
  plan: {
    ...{ readInside: "allow", readOutside: "ask", writeInside: "deny", writeOutside: "deny" },
    ...{ look: "allow", execute: "deny", executeSandboxed: "deny", network: "ask", leftToHost: "deny" },
  },
  ask: {
    ...{ readInside: "allow", readOutside: "ask", writeInside: "ask", writeOutside: "ask" },
    ...{ look: "allow", execute: "ask", executeSandboxed: "ask", network: "ask", leftToHost: "ask" },
  },
  workspace: {
    ...{ readInside: "allow", readOutside: "allow", writeInside: "allow", writeOutside: "ask" },
    ...{ look: "allow", execute: "ask", executeSandboxed: "allow", network: "ask", leftToHost: "allow" },
  },
  full: {
    ...{ readInside: "allow", readOutside: "allow", writeInside: "allow", writeOutside: "allow" },
    ...{ look: "allow", execute: "allow", executeSandboxed: "allow", network: "allow", leftToHost: "allow" },
  },
};

/** What a preset says to a request; the strictest of what its paths ask for. */
export function presetEffect(mode: PermissionMode, judged: JudgedRequest, isInside: (real: string) => boolean): Effect {
  const preset = PRESETS[mode];
  const { kind, paths = [], escalation } = judged.request;
  const isConfined = kind === "execute" && judged.isSandboxed && escalation === undefined; // its shell opens the files inside
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
  return PRESETS[mode][`${access}${isInside(real) ? "Inside" : "Outside"}`];
}

/** A sandbox that a command may leave unasked would be none. */
function executeEffect(preset: Preset, judged: JudgedRequest, leavesSandbox: boolean): Effect {
  if (judged.isLeftToHost) return preset.leftToHost;
  if (leavesSandbox) return strictest([preset.execute, "ask"]);
  if (isReadOnly(judged)) return preset.look;
  return judged.isSandboxed ? preset.executeSandboxed : preset.execute;
}

function isReadOnly({ reading }: JudgedRequest): boolean {
  return reading !== undefined && reading.readOnlyPrograms.length > 0 && reading.readOnlyPrograms.every(Boolean);
}

const STRICTNESS: readonly Effect[] = ["allow", "ask", "deny"];

export function strictest(effects: readonly Effect[]): Effect {
  return STRICTNESS[Math.max(0, ...effects.map((effect) => STRICTNESS.indexOf(effect)))] ?? "deny";
}
