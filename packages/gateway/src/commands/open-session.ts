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
  /** Whether the session was not open before. */
  isNew: boolean;
}

/** Finds or starts the session that a host opens. Rejects with CommandError. */
export async function openSession(server: Server, params: OpenParams): Promise<Opened> {
  const { table, store, roots, allowedEnv, hostSettings } = server.parts;
  settingFlags(hostSettings, params.settings); // check them even if the session is already open
  const { session, fork = false } = params;
  const known = session === undefined || fork ? undefined : table.get(session);
  if (known) return again(known);
  const stored = session === undefined ? undefined : await store.resolve(session);
  const cwd = stored?.cwd ?? roots.directory(params.cwd ?? roots.first);
  const flags = settingFlags(hostSettings, params.settings, { realPathInside: (path) => roots.find(path, cwd) });
  const planWith = (sessionFile?: string) => startPlan(params, { cwd, sessionFile, allowedEnv, settingFlags: flags });
  if (!stored) return openNew(server, planWith());
  if (fork) return store.withFile(stored, (file) => openNew(server, planWith(file)));
  const before = table.get(stored.sessionId);
  if (before) return again(before);
  planWith("-"); // errors in the call are reported before anything is acquired
  const checkOut = async () => {
    const { sessionFile, plan: kept, log } = await store.checkOut(stored);
    return { plan: continued(planWith(sessionFile), kept), log };
  };
  return { open: await orWhyNot(table.openStored(stored.sessionId, checkOut)), isNew: true };
}

/**
 * Combines earlier and new options of a session: they apply unless this call overrides them, because the last of two
 * flags wins.
 */
function continued(plan: StartPlan, { lasting, commands }: Pick<StartPlan, "lasting" | "commands">): StartPlan {
  return { ...plan, lasting: [...lasting, ...plan.lasting], commands: [...commands, ...plan.commands] };
}

/** Starts a new session. Rejects with CommandError. */
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

/** Allows workers again for a session whose workers failed repeatedly. */
function again(open: OpenSession): Opened {
  if (open.live.worker.isClosed)
    throw new CommandError("busy", "The session is being closed. Open it again when that is done");
  open.live.worker.forgive();
  return { open, isNew: false };
}

/** Exit code 2 of an engine means an invalid call; 1 means a failure, for example because another process has the file. */
function startFailure({ message, exitCode }: WorkerStartError): CommandError {
  if (exitCode === 2) return new CommandError("invalid_request", message);
  return new CommandError(exitCode === 1 ? "busy" : "worker_exited", message);
}
