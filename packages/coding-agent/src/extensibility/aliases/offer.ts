export type Exports = Readonly<Record<string, unknown>>;

/** What pintle provides in a module that extensions import. Every other published name throws when it is called. */
export interface Offer {
  works: Exports;
  /** Names that can be imported, extended and called but do nothing, because they need a terminal. */
  inert?: Exports;
}
