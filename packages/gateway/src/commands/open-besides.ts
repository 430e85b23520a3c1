import { existsSync } from "node:fs";
import { commands, type Params, parseParams, type UserMessageText } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import { isSuccess } from "../sessions/sent-commands.ts";
import type { OpenSession } from "../sessions/session-table.ts";
import { dataIn } from "../sessions/snapshot.ts";
import { attachOpened, inRoom } from "./attach.ts";
import type { Call } from "./host-connection.ts";
import { type Opened, openNew, openSession } from "./open-session.ts";

interface Target extends Opened {
  /** What the command answers besides the session. */
  more: object;
}

type Leave = (left: OpenSession, call: Call) => Promise<Target>;

/** Commands that leave a session in plain RPC. */
const TARGETS: Readonly<Record<string, Leave>> = {
  async new_session({ plan }, { server }) {
    const first = plan.first.filter((flag) => /^--(model|thinking|no-session)/.test(flag));
    return { ...(await openNew(server, { ...plan, first, isStored: false })), more: { cancelled: false } };
  },
  async switch_session(_left, { server, frame }) {
    const { sessionPath } = parseParams(commands.switch_session, frame.fields) as Params<"switch_session">;
    return { ...(await openSession(server, { session: sessionPath })), more: { cancelled: false } };
  },
  async clone(left, call) {
    return { ...(await copy(left, call, [])), more: { cancelled: false } };
  },
  branch,
  fork: branch,
};

/** Opens the target of the command as another session; the one it was sent to stays as it is. */
export async function openBesides(session: LiveSession, call: Call): Promise<void> {
  const left = call.server.parts.table.get(session.id);
  if (!left) throw new CommandError("not_open", `The session ${session.id} is not open`);
  await inRoom(call, undefined, async () => {
    const { more, ...opened } = await TARGETS[call.frame.type]!(left, call);
    attachOpened(call, opened.open, { isNew: opened.isNew, since: undefined, more });
  });
}

async function branch(left: OpenSession, call: Call): Promise<Target> {
  const { entryId } = parseParams(commands.branch, call.frame.fields) as Params<"branch">;
  const messages = await userMessages(left.live);
  const message = messages.find((one) => one.entryId === entryId);
  if (!message) throw new CommandError("invalid_request", "Invalid entry ID for branching");
  const opened = await copy(left, call, [`--fork-before=${entryId}`]);
  return { ...opened, more: { text: message.text, cancelled: false } };
}

/** The file is read while its own worker may write: what is in it is whole. */
async function copy({ plan, file }: OpenSession, { server }: Call, flags: readonly string[]): Promise<Opened> {
  if (file === undefined || !existsSync(file)) {
    throw new CommandError("invalid_request", "There is nothing stored of this session that could be copied");
  }
  return openNew(server, { ...plan, first: [`--fork=${file}`, ...flags], isStored: true });
}

function userMessages(session: LiveSession): Promise<UserMessageText[]> {
  return new Promise((resolve, reject) => {
    session.request({ type: "get_branch_messages" }, (tail) => {
      if (isSuccess(tail)) resolve((dataIn(tail) as { messages: UserMessageText[] }).messages);
      else reject(new CommandError("worker_exited", "The engine of the session ended before the answer"));
    });
  });
}
