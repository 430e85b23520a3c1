import { existsSync } from "node:fs";
import type { GatewayParams } from "@pintle/wire/gateway";
import { CommandError } from "../frames/command-error.ts";
import type { WorkerSpec } from "./worker-spec.ts";

type OpenParams = GatewayParams<"open_session">;

/** The options of a session, for its first start and for each start of another worker. */
export interface StartPlan {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Flags for every worker of the session. */
  lasting: readonly string[];
  /** Flags for the first worker only: later workers read the rest from the session file. */
  first: readonly string[];
  isEphemeral: boolean;
  /** Whether it continues a session file, or a copy of one. */
  isStored: boolean;
  /** Commands that every worker receives first. */
  commands: readonly Record<string, unknown>[];
  /** Labels that a node must have to serve it. */
  needs: readonly string[];
}

export interface StartPlace {
  cwd: string;
  /** The file of the session that is continued or copied. */
  sessionFile?: string | undefined;
  /** Names of variables that hosts may set. */
  allowedEnv: readonly string[];
  /** Checked flags for the settings of the host. */
  settingFlags: readonly string[];
}

/** Builds the plan. Flags have the form `--name=value`, so that a value that looks like a flag cannot become one. */
export function startPlan(params: OpenParams, place: StartPlace): StartPlan {
  const { name, model, thinking, tools, trust, env = {}, fork, ephemeral = false, budget } = params;
  const { cwd, sessionFile, allowedEnv, settingFlags } = place;
  const refused = Object.keys(env).find((variable) => !allowedEnv.includes(variable));
  if (refused !== undefined) {
    throw new CommandError("not_allowed", `The variable ${refused} cannot be set by hosts (serve.env)`);
  }
  return {
    cwd,
    env,
    isEphemeral: ephemeral,
    isStored: sessionFile !== undefined,
    lasting: [
      ...(tools === undefined ? [] : [`--tools=${tools.join(",")}`]),
      ...settingFlags,
      ...(trust === undefined ? [] : [trust ? "--trust" : "--no-trust"]),
    ],
    first: [
      ...(sessionFile === undefined ? [] : [`--${fork ? "fork" : "session"}=${sessionFile}`]),
      ...(ephemeral ? ["--no-session"] : []),
      ...(name === undefined ? [] : [NAME + name]),
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...(thinking === undefined ? [] : [`--thinking=${thinking}`]),
    ],
    commands: budget ? [{ type: "set_budget", ...budget }] : [],
    needs: params.labels ?? [],
  };
}

const NAME = "--name=";

/** Returns the name that the session is opened with. */
export function nameIn({ first }: StartPlan): string | undefined {
  return first.findLast((flag) => flag.startsWith(NAME))?.slice(NAME.length);
}

/** Returns the plan with another name: the next worker of a session without a file reads the name from its flags. */
export function renamed(plan: StartPlan, name: string): StartPlan {
  return { ...plan, first: [...plan.first.filter((flag) => !flag.startsWith(NAME)), NAME + name] };
}

export function firstSpec({ cwd, env, lasting, first }: StartPlan): WorkerSpec {
  return { cwd, env, args: [...lasting, ...first] };
}

/** Returns the spec of the next worker. A session without a message has no file yet. */
export function nextSpec(plan: StartPlan, session: { id: string; file: string | undefined }): WorkerSpec {
  const { cwd, env, lasting, first, isEphemeral } = plan;
  if (isEphemeral) throw new CommandError("not_open", "The session was not stored and ended with its engine");
  const { id, file } = session;
  if (file !== undefined && existsSync(file)) return { cwd, env, args: [...lasting, `--session=${file}`] };
  const rest = first.filter((flag) => !/^--(fork|fork-before|session)=/.test(flag));
  return { cwd, env, args: [...lasting, ...rest, `--session-id=${id}`] };
}
