import type { Frame } from "../transport.ts";

/** Commands whose effect a server keeps per connection, and how a newer one combines with an older one. */
const REMEMBERED: Readonly<Record<string, (older: Frame | undefined, newer: Frame) => Frame>> = {
  set_host_tools: (_older, newer) => newer,
  set_host_capabilities: (older, newer) => ({ ...older, ...newer }),
  set_update_mode: (_older, newer) => newer,
  set_event_filter: (_older, newer) => newer,
  set_output_schema: (_older, newer) => newer,
};

/** Scoped to a session, so never sent as a default for sessions attached later. */
const OF_SESSION: ReadonlySet<string> = new Set(["set_host_tools", "set_output_schema"]);

/** The parameters that restore a command's default. */
const CLEARED: Readonly<Record<string, (set: Frame) => object>> = {
  set_host_capabilities: ({ type: _type, ...set }) => Object.fromEntries(Object.keys(set).map((name) => [name, false])),
  set_update_mode: () => ({ mode: "full" }),
};

/** Remembers per-connection commands so that they can be replayed on the next connection. */
export class ConnectionState {
  readonly #commands = new Map<string, Frame>();

  static isPartOf({ type }: Frame): boolean {
    return Object.hasOwn(REMEMBERED, type);
  }

  /** Records a command that the server has accepted. */
  accepted(command: Frame): void {
    const { type } = command;
    const join = REMEMBERED[type];
    if (join) this.#commands.set(type, join(this.#commands.get(type), command));
  }

  /**
   * Sent without a session id, these commands become defaults for sessions attached afterwards. Returns the commands to send
   * before attaching, and those that reset the defaults afterwards.
   */
  defaults(): { set: Frame[]; clear: Frame[] } {
    const set = this.commands()
      .filter(({ type }) => !OF_SESSION.has(type))
      .map(({ id: _id, sessionId: _sessionId, ...command }): Frame => command);
    return { set, clear: set.map((command) => ({ type: command.type, ...CLEARED[command.type]?.(command) })) };
  }

  commands(): Frame[] {
    return [...this.#commands.values()];
  }
}
