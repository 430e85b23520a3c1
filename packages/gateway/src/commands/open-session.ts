import type { GatewayParams } from "@pintle/wire/gateway";
import { CommandError } from "../frames/command-error.ts";
import type { OpenSession } from "../sessions/session-table.ts";
import { type StartPlan, startPlan } from "../workers/start-plan.ts";
import { WorkerStartError } from "../workers/worker-process.ts";
import { settingFlags } from "./host-settings.ts";
import type { Server } from "./server.ts";

type OpenParams = GatewayParams<"open_session">;

export interface Opened {
  open: OpenSession;
  /** It was not open before. */
  isNew: boolean;
}

/** Finds, or starts, what a host wants to open. Rejects with CommandError. */
export async function openSession(server: Server, params: OpenParams): Promise<Opened> {
  const { table, library, roots, allowedEnv, hostSettings } = server.parts;
  settingFlags(hostSettings, params.settings); // also refused where the session is open already
  const { session, fork = false } = params;
  const known = session === undefined || fork ? undefined : table.get(session);
  if (known) return again(known);
  const stored = session === undefined ? undefined : await library.resolve(session);
  const cwd = stored?.cwd ?? roots.directory(params.cwd ?? roots.first);
  const flags = settingFlags(hostSettings, params.settings, { realPathInside: (path) => roots.find(path, cwd) });
  const planWith = (sessionFile?: string) => startPlan(params, { cwd, sessionFile, allowedEnv, settingFlags: flags });
  if (!stored) return openNew(server, planWith());
  if (fork) return library.withFile(stored, (file) => openNew(server, planWith(file)));
  const before = table.get(stored.sessionId);
  if (before) return again(before);
  planWith("-"); // what is wrong with the call is said before anything is taken
  const checkOut = async () => {
    const { sessionFile, plan: kept, log } = await library.checkOut(stored);
    return { plan: continued(planWith(sessionFile), kept), log };
  };
  return { open: await orWhyNot(table.openStored(stored.sessionId, checkOut)), isNew: true };
}

/** What the session was started with before holds, unless this call says otherwise: of two flags the last one counts. */
function continued(plan: StartPlan, { lasting, commands }: Pick<StartPlan, "lasting" | "commands">): StartPlan {
  return { ...plan, lasting: [...lasting, ...plan.lasting], commands: [...commands, ...plan.commands] };
}

/** A session that did not exist. Rejects with CommandError. */
export async function openNew({ parts: { table } }: Server, plan: StartPlan): Promise<Opened> {
  return { open: await orWhyNot(table.openNew(plan)), isNew: true };
}

async function orWhyNot<T>(started: Promise<T>): Promise<T> {
  try {
    return await started;
  } catch (error) {
    throw error instanceof WorkerStartError ? startFailure(error) : error;
  }
}

/** A session that failed again and again gets another chance. */
function again(open: OpenSession): Opened {
  if (open.live.worker.isClosed)
    throw new CommandError("busy", "The session is being closed: open it when that is done");
  open.live.worker.forgive();
  return { open, isNew: false };
}

/** What the engine's exit codes mean: 2, the call is wrong; 1, it cannot be done now, for example because another process has the file. */
function startFailure({ message, exitCode }: WorkerStartError): CommandError {
  if (exitCode === 2) return new CommandError("invalid_request", message);
  return new CommandError(exitCode === 1 ? "busy" : "worker_exited", message);
}
