import type { GatewayCore, OpenOptions } from "@pintle/client/core";
import type { Child } from "../dom.ts";
import type { Row } from "../page-data.ts";
import type { PageAction } from "./actions.ts";
import type { ConnectionState } from "./connection/server-connection.ts";
import type { SessionList } from "./sessions/session-list.ts";
import type { Layout } from "./shell/layout.ts";
import type { ReadonlyCell } from "./state/cell.ts";
import type { OpenSession } from "./state/open-session.ts";

/** State and services that the parts of the page share. */
export interface LiveApp {
  readonly layout: Layout;
  readonly gateway: GatewayCore;
  readonly connection: ReadonlyCell<ConnectionState>;
  /** The session that is shown; its handlers and listeners are set up before its first frame is read. */
  readonly session: ReadonlyCell<OpenSession | undefined>;
  /** Shows another session: a stored one (`session`), or a new one. Reports failures itself. */
  open(options: OpenOptions): void;
  /**
   * Does the same and resolves with the session; with undefined if that failed, or if another session is shown by then.
   */
  openSession(options: OpenOptions): Promise<OpenSession | undefined>;
  /** Shows no session. */
  leave(): void;
  /** The actions in the header of an entry; parts add to them before a session is shown. */
  readonly entryActions: ((row: Row, session: OpenSession) => Child)[];
  /** The server's sessions, as far as they were requested. */
  readonly list: SessionList;
  /** The actions of the palette; parts add to them. */
  readonly actions: PageAction[];
  /** The server's time of day, to which deadlines refer. */
  serverNow(): number;
  /** Sends an HTTP request to the server, with the token. */
  request(path: string): Promise<Response>;
  /** Shows a short message to the user, and announces it to screen readers. */
  say(text: string): void;
  /** Runs an action and reports its failure to the user. `doing` names the action: "Sending the message". */
  attempt<T>(doing: string, action: () => Promise<T>): Promise<T | undefined>;
  /** The same for event handlers, which await nothing. */
  act(doing: string, action: () => Promise<unknown>): void;
}

/** A part of the page: adds itself to the layout once, and then follows `app.session`. */
export type LivePart = (app: LiveApp) => void;
