import type { GatewayCore, OpenOptions } from "@pintle/client/core";
import type { Child } from "../dom.ts";
import type { Row } from "../page-data.ts";
import type { PageAction } from "./actions.ts";
import type { ConnectionState } from "./connection/server-connection.ts";
import type { SessionList } from "./sessions/session-list.ts";
import type { Layout } from "./shell/layout.ts";
import type { ReadonlyCell } from "./state/cell.ts";
import type { OpenSession } from "./state/open-session.ts";

/** What the parts of the page share. */
export interface LiveApp {
  readonly layout: Layout;
  readonly gateway: GatewayCore;
  readonly connection: ReadonlyCell<ConnectionState>;
  /** The session that is shown; its handlers and listeners are set up before its first frame is read. */
  readonly session: ReadonlyCell<OpenSession | undefined>;
  /** Shows another session: a stored one (`session`), or a new one. Says what went wrong by itself. */
  open(options: OpenOptions): void;
  /** The same, for who wants to use it: undefined when it failed, or something else is shown by then. */
  openSession(options: OpenOptions): Promise<OpenSession | undefined>;
  /** Shows none. */
  leave(): void;
  /** What can be done with an entry, shown in its head; parts add to it before a session is shown. */
  readonly entryActions: ((row: Row, session: OpenSession) => Child)[];
  /** The server's sessions, as far as they were requested. */
  readonly list: SessionList;
  /** What the palette offers; parts add to it. */
  readonly actions: PageAction[];
  /** The server's time of day, in which deadlines are given. */
  serverNow(): number;
  /** What the server has besides its socket, with the token. */
  request(path: string): Promise<Response>;
  /** Shows a short message to the user, and announces it to screen readers. */
  say(text: string): void;
  /** Does something that may fail, and says so if it does. `doing` is what was tried: "Sending the message". */
  attempt<T>(doing: string, action: () => Promise<T>): Promise<T | undefined>;
  /** The same for handlers, which wait for nothing. */
  act(doing: string, action: () => Promise<unknown>): void;
}

/** A part of the page: puts itself into the layout once, and follows `app.session` from then on. */
export type LivePart = (app: LiveApp) => void;
