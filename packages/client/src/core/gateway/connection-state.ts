import type { Frame } from "../transport.ts";

/** What a server remembers for one connection only, and how the newer command goes with the older. */
const REMEMBERED: Readonly<Record<string, (older: Frame | undefined, newer: Frame) => Frame>> = {
  set_host_tools: (_older, newer) => newer,
  set_host_capabilities: (older, newer) => ({ ...older, ...newer }),
  set_update_mode: (_older, newer) => newer,
  set_event_filter: (_older, newer) => newer,
};

/** What counts without them. */
const CLEARED: Readonly<Record<string, (set: Frame) => object>> = {
  set_host_capabilities: ({ type: _type, ...set }) => Object.fromEntries(Object.keys(set).map((name) => [name, false])),
  set_update_mode: () => ({ mode: "full" }),
};

/** The next connection must hear it again. */
export class ConnectionState {
  readonly #commands = new Map<string, Frame>();

  static isPartOf({ type }: Frame): boolean {
    return Object.hasOwn(REMEMBERED, type);
  }

  /** The server has taken the command. */
  accepted(command: Frame): void {
    const { type } = command;
    const join = REMEMBERED[type];
    if (join) this.#commands.set(type, join(this.#commands.get(type), command));
  }

  /**
   * Without a session these commands count for the sessions that are attached to afterwards: how to say so before an
   * attachment, and how to take it back behind it.
   */
  defaults(): { set: Frame[]; clear: Frame[] } {
    const set = this.commands()
      .filter(({ type }) => type !== "set_host_tools")
      .map(({ id: _id, sessionId: _sessionId, ...command }): Frame => command);
    return { set, clear: set.map((command) => ({ type: command.type, ...CLEARED[command.type]?.(command) })) };
  }

  commands(): Frame[] {
    return [...this.#commands.values()];
  }
}
