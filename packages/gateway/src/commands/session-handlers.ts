import { commands, type Params, type PendingWait, parseParams, QUESTIONS, type QuestionRow } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";
import { successTail } from "../frames/responses.ts";
import type { Attachment } from "../sessions/attachment.ts";
import { capabilitiesIn, declaredBy } from "../sessions/declared-capabilities.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import { isSuccess } from "../sessions/sent-commands.ts";
import { dataIn } from "../sessions/snapshot.ts";
import type { Call } from "./host-connection.ts";
import { openBesides } from "./open-besides.ts";

/** Commands of a session that the gateway handles: they change the connection, or open another session. */
export const sessionHandlers: Readonly<Record<string, (session: LiveSession, call: Call) => void | Promise<void>>> = {
  set_update_mode(session, call) {
    const { mode } = parseParams(commands.set_update_mode, call.frame.fields) as Params<"set_update_mode">;
    attachmentOf(session, call).mode = mode;
    call.answer(successTail("set_update_mode"));
  },
  set_event_filter(session, call) {
    const { events = null } = parseParams(commands.set_event_filter, call.frame.fields) as Params<"set_event_filter">;
    call.answer(successTail("set_event_filter", { events: attachmentOf(session, call).events.choose(events) }));
  },
  set_host_capabilities(session, call) {
    const attachment = attachmentOf(session, call);
    const change = capabilitiesIn(call.frame.fields);
    session.attachments.checkDeclaration(attachment, change);
    call.answer(successTail("set_host_capabilities", declaredBy({ ...attachment.capabilities, ...change })));
    session.attachments.declare(attachment, change);
  },
  /**
   * The worker lists the questions that its hosts can answer together; each host receives only those that it can answer
   * itself.
   */
  get_pending(session, call) {
    const { capabilities } = attachmentOf(session, call);
    session.commands.request({ type: "get_pending" }, (tail) => {
      if (!isSuccess(tail)) return call.answer(tail);
      const { pending } = dataIn(tail) as { pending: PendingWait[] };
      const isShown = ({ kind }: PendingWait) => {
        const { capability, isListedToAll }: QuestionRow = QUESTIONS[kind];
        return capability === undefined || isListedToAll || capabilities[capability] === true;
      };
      call.answer(successTail("get_pending", { pending: pending.filter(isShown) }));
    });
  },
  set_host_tools: (session, { connection, frame, answer }) =>
    session.attachments.setTools(connection.host.id, frame.fields.tools, answer),
  new_session: (session, call) => openBesides(session, call),
  switch_session: (session, call) => openBesides(session, call),
  branch: (session, call) => openBesides(session, call),
  fork: (session, call) => openBesides(session, call),
  clone: (session, call) => openBesides(session, call),
};

function attachmentOf(session: LiveSession, { connection }: Call): Attachment {
  const attachment = session.hosts.get(connection.host.id);
  if (!attachment) throw new CommandError("not_attached", "This connection is not attached to the session");
  return attachment;
}
