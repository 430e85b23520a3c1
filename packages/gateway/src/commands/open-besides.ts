import { existsSync, readFileSync } from "node:fs";
import { isRecord, textsOf } from "@pintle/ai";
import { commands, type Params, parseParams, type UserMessageText } from "@pintle/wire";
import { CommandError, NoRoom } from "../frames/command-error.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import { isSuccess } from "../sessions/sent-commands.ts";
import type { OpenSession } from "../sessions/session-table.ts";
import { dataIn } from "../sessions/snapshot.ts";
import { attachOpened, inRoom } from "./attach.ts";
import type { Call } from "./host-connection.ts";
import { type Opened, openNew, openSession } from "./open-session.ts";

interface Target extends Opened {
  /** Additional fields of the response. */
  more: object;
}

type Leave = (left: OpenSession, call: Call) => Promise<Target>;

/** Commands that replace the open session in plain RPC, with what the gateway does instead. */
const TARGETS: Readonly<Record<string, Leave>> = {
  async new_session({ plan }, { server }) {
    const first = plan.first.filter((flag) => /^--(model|thinking|no-session)/.test(flag));
    return { ...(await openNew(server, { ...plan, first, isStored: false })), more: { cancelled: false } };
  },
  switch_session: (_left, call) => switchTo(call),
  async clone(left, call) {
    return { ...(await copy(left, call, [])), more: { cancelled: false } };
  },
  branch,
  fork: branch,
};

/** Opens the target of the command as another session, and leaves the session that received the command unchanged. */
export async function openBesides(session: LiveSession, call: Call): Promise<void> {
  const left = call.server.parts.table.get(session.id);
  if (!left) throw new CommandError("not_open", `The session ${session.id} is not open`);
  await enterTarget(call, async () => {
    try {
      return await TARGETS[call.frame.type]!(left, call);
    } catch (error) {
      throw error instanceof NoRoom && isOnlyHere(left) ? new CommandError("busy", error.message + ONLY_HERE) : error;
    }
  });
}

/** Opens the target for a session whose node has no free worker, based on the stored session. */
export async function openFromStored(sessionId: string, call: Call): Promise<void> {
  await enterTarget(call, async () => {
    const { type, fields } = call.frame;
    const { server } = call;
    const { store } = server.parts;
    if (type === "switch_session") return switchTo(call);
    const stored = await store.resolve(sessionId);
    const plan = await store.startedWith?.(stored);
    if (!plan) throw new CommandError("not_attached", `This connection is not attached to the session ${sessionId}`);
    if (type === "new_session") return { ...(await openNew(server, plan)), more: { cancelled: false } };
    const copyWith = (flags: readonly string[], file: string) =>
      openNew(server, { ...plan, first: [`--fork=${file}`, ...flags], isStored: true });
    if (type === "clone") {
      return { ...(await store.withFile(stored, (file) => copyWith([], file))), more: { cancelled: false } };
    }
    const { entryId } = parseParams(commands.branch, fields) as Params<"branch">;
    return store.withFile(stored, async (file) => {
      const text = userTextIn(file, entryId);
      if (text === undefined) throw new CommandError("invalid_request", NO_SUCH_MESSAGE);
      return { ...(await copyWith([`--fork-before=${entryId}`], file)), more: { text, cancelled: false } };
    });
  });
}

async function enterTarget(call: Call, open: () => Promise<Target>): Promise<void> {
  await inRoom(call, undefined, async () => {
    const { more, ...opened } = await open();
    attachOpened(call, opened.open, { isNew: opened.isNew, since: undefined, more });
  });
}

const ONLY_HERE = ". The options that the session was started with are not stored, so no other node can open it";

/**
 * Whether only this node can open the target: others know neither the session's variables nor a session that is not
 * stored.
 */
function isOnlyHere({ plan }: OpenSession): boolean {
  return plan.isEphemeral || Object.keys(plan.env).length > 0;
}

async function switchTo({ server, frame }: Call): Promise<Target> {
  const { sessionPath } = parseParams(commands.switch_session, frame.fields) as Params<"switch_session">;
  return { ...(await openSession(server, { session: sessionPath })), more: { cancelled: false } };
}

const NO_SUCH_MESSAGE = "Invalid entry ID for branching";

/** Returns the text of a user message in a session file. */
function userTextIn(file: string, entryId: string): string | undefined {
  const lines = readFileSync(file, "utf8").split("\n");
  const line = lines.find((one) => one.includes(JSON.stringify(entryId)) && entryIn(one)?.id === entryId);
  const message = line === undefined ? undefined : entryIn(line)?.message;
  if (!isRecord(message) || message.role !== "user") return undefined;
  const { content } = message;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? textsOf(content as Parameters<typeof textsOf>[0]).join("") : undefined;
}

function entryIn(line: string): Record<string, unknown> | undefined {
  const entry: unknown = JSON.parse(line);
  return isRecord(entry) ? entry : undefined;
}

async function branch(left: OpenSession, call: Call): Promise<Target> {
  const { entryId } = parseParams(commands.branch, call.frame.fields) as Params<"branch">;
  const messages = await userMessages(left.live);
  const message = messages.find((one) => one.entryId === entryId);
  if (!message) throw new CommandError("invalid_request", NO_SUCH_MESSAGE);
  const opened = await copy(left, call, [`--fork-before=${entryId}`]);
  return { ...opened, more: { text: message.text, cancelled: false } };
}

/** Copies the session file. It is safe to read while the worker writes, because it contains only complete lines. */
async function copy({ plan, file }: OpenSession, { server }: Call, flags: readonly string[]): Promise<Opened> {
  if (file === undefined || !existsSync(file)) {
    throw new CommandError("invalid_request", "Nothing of this session is stored yet, so it cannot be copied");
  }
  return openNew(server, { ...plan, first: [`--fork=${file}`, ...flags], isStored: true });
}

function userMessages(session: LiveSession): Promise<UserMessageText[]> {
  return new Promise((resolve, reject) => {
    session.commands.request({ type: "get_branch_messages" }, (tail) => {
      if (isSuccess(tail)) resolve((dataIn(tail) as { messages: UserMessageText[] }).messages);
      else reject(new CommandError("worker_exited", "The engine of the session ended before it responded"));
    });
  });
}
