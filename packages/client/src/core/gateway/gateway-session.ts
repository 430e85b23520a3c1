import type { GatewayCalls, SessionCursor } from "../../protocol.ts";
import { RpcClosedError, RpcCommandError } from "../errors.ts";
import { type CoreOptions, RpcCore } from "../rpc-core.ts";
import type { SessionLink } from "./session-link.ts";

type Opened = GatewayCalls["open_session"]["result"];

/** What a session asks of the gateway it came from. */
interface SessionParts {
  link: SessionLink;
  /** Nothing is wanted of the session any more. */
  forget(): void;
  detach(): Promise<void>;
  close(options: { abort?: boolean }): Promise<void>;
}

/** One session of a gateway, with everything that a client of a single session has. Lives on while the connection is away. */
export class GatewaySession extends RpcCore {
  readonly #parts: SessionParts;
  readonly #opened: Opened | undefined;

  constructor(parts: SessionParts, options: Omit<CoreOptions, "readyTimeoutMs">, opened?: Opened) {
    super(options);
    this.#parts = parts;
    this.#opened = opened;
  }

  get sessionId(): string {
    return this.#parts.link.sessionId;
  }

  /** On the server, if it was opened here and is stored. */
  get sessionFile(): string | undefined {
    return this.#opened?.sessionFile;
  }

  /** How far the session was seen: `attach` goes on from there, also in another program. */
  get cursor(): SessionCursor {
    return this.#parts.link.cursor;
  }

  /** There is no connection at the moment. Commands wait for the next one. */
  get isAway(): boolean {
    return this.#parts.link.isAway;
  }

  /** Hears no more of the session, which lives on. */
  async detach(): Promise<void> {
    await this.#parts.detach();
    this.disconnect(new RpcClosedError("The session was detached"));
  }

  /** Ends the process of the session. Refused while a run is active, unless `abort` is true. */
  async close(options: { abort?: boolean } = {}): Promise<void> {
    await this.#parts.close(options);
    this.disconnect(new RpcClosedError("The session was closed"));
  }

  override disconnect(reason?: unknown): void {
    this.#parts.forget();
    super.disconnect(reason);
  }

  /** For the gateway. */
  async begin(): Promise<void> {
    const { link } = this.#parts;
    link.listen({
      isBusy: () => !this.isIdle,
      onAway: () => this.connectionLost(),
      onInterrupted: (error) =>
        this.interrupted(new RpcCommandError({ command: "prompt", code: "worker_exited", error })),
      onCaughtUp: (state) => this.caughtUp(state),
      onFault: (what, error) => this.reportFault(what, error),
    });
    if (this.#opened) this.caughtUp(this.#opened.state);
    else link.askState();
    await this.join(link);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.detach();
  }
}
