import { commands, type Params, parseParams } from "@pintle/wire";
import { type GatewayCommandName, type GatewayParams, gatewayCommands } from "@pintle/wire/gateway";
import type { JobQueue } from "../cluster/job-queue.ts";
import { CommandError } from "../frames/command-error.ts";
import { successTail } from "../frames/responses.ts";
import type { OpenSession } from "../sessions/session-table.ts";
import { asAnswerTo, attach, attachOpened, inRoom } from "./attach.ts";
import type { Call } from "./host-connection.ts";
import { settingFlags } from "./host-settings.ts";
import { listSessions } from "./list-sessions.ts";
import { openSession } from "./open-session.ts";
import { serverState } from "./server-state.ts";

type Handler = (call: Call) => void | Promise<void>;

/** Handles commands for the gateway; all others are for a session. */
export const gatewayHandlers: Readonly<Record<string, Handler>> = {
  open_session(call) {
    const refusal = call.server.refusal("open_session");
    if (refusal) throw refusal;
    const params = paramsOf("open_session", call);
    return inRoom(call, params.fork ? undefined : params.session, async () => {
      const { open, isNew } = await openSession(call.server, params);
      attachOpened(call, open, { isNew, since: params.since, lastEntries: params.lastEntries });
    });
  },
  attach_session(call) {
    const { sessionId, ...options } = paramsOf("attach_session", call);
    attach(call, opened(call, sessionId).live, options);
  },
  detach_session(call) {
    const { sessionId } = paramsOf("detach_session", call);
    const { connection, server } = call;
    const session = connection.sessions.get(sessionId);
    if (!session && !server.parts.table.get(sessionId)) {
      throw new CommandError("not_found", `There is no open session ${sessionId}`);
    }
    if (!session) throw new CommandError("not_attached", `This connection is not attached to the session ${sessionId}`);
    session.attachments.detach(connection.host.id);
    connection.sessions.delete(sessionId);
    call.answer(successTail("detach_session"));
  },
  async close_session(call) {
    const { sessionId, abort = false } = paramsOf("close_session", call);
    await close(call, sessionId, abort);
    call.answer(successTail("close_session"));
  },
  async delete_session(call) {
    const { sessionId } = paramsOf("delete_session", call);
    const { table, store } = call.server.parts;
    const live = table.get(sessionId)?.live;
    if (live) await close(call, sessionId, false);
    else await store.resolve(sessionId); // only sessions inside the roots
    if (live?.isStored !== false) await store.remove(sessionId);
    call.answer(successTail("delete_session"));
  },
  async rename_session(call) {
    const { frame, server, answer } = call;
    const params = parseParams(commands.rename_session, { ...frame.fields, sessionId: frame.sessionId });
    const { sessionId, name } = params as Params<"rename_session">;
    if (sessionId === undefined) throw new CommandError("invalid_request", "sessionId is missing");
    const { store, table } = server.parts;
    const open = table.get(sessionId);
    if (open) return answer(asAnswerTo(frame.type, await table.rename(open, name)));
    const stored = await store.resolve(sessionId);
    const { sessionFile } = stored;
    await store.rename(stored, name);
    answer(successTail(frame.type, { sessionId, ...(sessionFile !== undefined && { sessionFile }) }));
  },
  async restore_session(call) {
    const { sessionId } = paramsOf("restore_session", call);
    await call.server.parts.store.restore(sessionId);
    call.answer(successTail("restore_session"));
  },
  async list_sessions(call) {
    call.answer(successTail("list_sessions", await listSessions(call.server, paramsOf("list_sessions", call))));
  },
  async submit(call) {
    const refusal = call.server.refusal("submit");
    if (refusal) throw refusal;
    const params = paramsOf("submit", call);
    settingFlags(call.server.parts.hostSettings, params.settings);
    call.answer(successTail("submit", await jobs(call).submit(params, call.frame.commandKey)));
  },
  async get_job(call) {
    call.answer(successTail("get_job", await jobs(call).get(paramsOf("get_job", call).jobId)));
  },
  async cancel_job(call) {
    call.answer(successTail("cancel_job", await jobs(call).cancel(paramsOf("cancel_job", call).jobId)));
  },
  async retry_job(call) {
    call.answer(successTail("retry_job", await jobs(call).retry(paramsOf("retry_job", call).jobId)));
  },
  async list_jobs(call) {
    call.answer(successTail("list_jobs", await jobs(call).list(paramsOf("list_jobs", call))));
  },
  get_server_state(call) {
    call.answer(successTail("get_server_state", serverState(call.server)));
  },
};

function paramsOf<N extends GatewayCommandName>(name: N, { frame }: Call): GatewayParams<N> {
  const { sessionId, fields } = frame;
  return parseParams(gatewayCommands[name], { ...fields, sessionId }) as GatewayParams<N>;
}

function jobs({ server }: Call): JobQueue {
  const queue = server.parts.jobs;
  if (!queue) throw new CommandError("not_supported", "Jobs need a database: start the server with --store");
  return queue;
}

function opened({ server }: Call, sessionId: string): OpenSession {
  const open = server.parts.table.get(sessionId);
  if (!open) throw new CommandError("not_open", `The session ${sessionId} is not open`);
  return open;
}

async function close(call: Call, sessionId: string, abort: boolean): Promise<void> {
  const { live } = opened(call, sessionId);
  const settling = abort ? undefined : live.settling;
  if (settling) await settling;
  if (!abort && live.hasRun) throw new CommandError("busy", "A run of the session is active");
  await call.server.parts.table.close(sessionId);
  call.server.forget(sessionId);
}
