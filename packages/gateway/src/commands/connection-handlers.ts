import { commands, type Params, PROTOCOL_VERSION, parseParams } from "@pintle/wire";
import type { DefaultCommands } from "../cluster/relay.ts";
import { successTail } from "../frames/responses.ts";
import type { Attachment } from "../sessions/attachment.ts";
import { capabilitiesIn, declaredBy } from "../sessions/declared-capabilities.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import type { Call, ConnectionDefaults, HostConnection } from "./host-connection.ts";

/** Commands without a `sessionId`, which apply to all sessions of the connection, including those that it opens later. */
export const connectionHandlers: Readonly<Record<string, (call: Call) => void>> = {
  ping: ({ answer }) => answer(successTail("ping")),
  negotiate_protocol: ({ answer }) => answer(successTail("negotiate_protocol", { protocolVersion: PROTOCOL_VERSION })),
  set_update_mode({ connection, frame, answer }) {
    const { mode } = parseParams(commands.set_update_mode, frame.fields) as Params<"set_update_mode">;
    connection.defaults.mode = mode;
    for (const { attachment } of attachmentsOf(connection)) attachment.mode = mode;
    connection.relayed?.defaultsChanged();
    answer(successTail(frame.type));
  },
  set_event_filter({ connection, frame, answer }) {
    const { events = null } = parseParams(commands.set_event_filter, frame.fields) as Params<"set_event_filter">;
    connection.defaults.named = events ?? undefined;
    for (const { attachment } of attachmentsOf(connection)) attachment.events.choose(events);
    connection.relayed?.defaultsChanged();
    answer(successTail(frame.type, { events }));
  },
  set_host_capabilities({ connection, frame, answer }) {
    const change = capabilitiesIn(frame.fields);
    connection.defaults.capabilities = { ...connection.defaults.capabilities, ...change };
    answer(successTail(frame.type, declaredBy(connection.defaults.capabilities)));
    for (const { session, attachment } of attachmentsOf(connection)) session.attachments.declare(attachment, change);
    connection.relayed?.defaultsChanged();
  },
};

/** Returns the defaults as commands, the form in which another node receives them. */
export function defaultCommands({ mode = "full", named, capabilities }: ConnectionDefaults): DefaultCommands {
  return {
    set_update_mode: { mode },
    set_event_filter: { events: named ?? null },
    ...(capabilities && { set_host_capabilities: { ...capabilities } }),
  };
}

/**
 * Yields the attachments of the connection. A session that is still being opened has none yet; it starts with the
 * current defaults.
 */
function* attachmentsOf({
  host,
  sessions,
}: HostConnection): Iterable<{ session: LiveSession; attachment: Attachment }> {
  for (const session of sessions.values()) {
    const attachment = session.hosts.get(host.id);
    if (attachment) yield { session, attachment };
  }
}
