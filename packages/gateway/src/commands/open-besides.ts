import { commands, type Params, parseParams } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import { attachOpened } from "./attach.ts";
import type { Call } from "./host-connection.ts";
import { openSession } from "./open-session.ts";

/** What a command that leaves a session opens instead, and what it answers besides. */
const TARGETS: Readonly<
  Record<
    string,
    (session: LiveSession, call: Call) => Promise<{ params: Parameters<typeof openSession>[1]; more: object }>
  >
> = {
  async new_session(session, call) {
    return { params: { cwd: cwdOf(session, call) }, more: { cancelled: false } };
  },
  async switch_session(_session, { frame }) {
    const { sessionPath } = parseParams(commands.switch_session, frame.fields) as Params<"switch_session">;
    return { params: { session: sessionPath }, more: { cancelled: false } };
  },
  async clone(session) {
    return { params: { session: session.id, fork: true }, more: { cancelled: false } };
  },
};

/** Opens the target of the command as another session; the one it was sent to stays as it is. */
export async function openBesides(session: LiveSession, call: Call): Promise<void> {
  const { type } = call.frame;
  const target = TARGETS[type];
  if (!target) throw new CommandError("not_supported", `${type} is not supported on a gateway yet`);
  const { params, more } = await target(session, call);
  const { open, isNew } = await openSession(call.server, params);
  attachOpened(call, open, { isNew, since: undefined, more });
}

function cwdOf(session: LiveSession, { server }: Call): string {
  return server.parts.table.get(session.id)!.plan.cwd;
}
