import type { GatewayCalls, SessionCursor } from "../../protocol.ts";
import { RpcClosedError, RpcCommandError } from "../errors.ts";
import { type CoreOptions, RpcCore } from "../rpc-core.ts";
import type { RunPlace } from "../run-result.ts";
import type { SessionLink } from "./session-link.ts";

type Opened = GatewayCalls["open_session"]["result"];

/** What a session needs from the gateway that created it. */
interface SessionParts {
  link: SessionLink;
  /** Removes the session from the gateway's tables. */
  forget(): void;
  detach(): Promise<void>;
  close(options: { abort?: boolean }): Promise<void>;
  /** Capabilities of the server at the other end of the latest connection. */
  capabilities(): readonly string[];
}

/** A session of a gateway, with everything a single-session client offers. Survives a lost connection. */
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

  /** The session's file on the server, if it was opened here and is stored. */
  get sessionFile(): string | undefined {
    return this.#opened?.sessionFile;
  }

  protected override get capabilities(): readonly string[] {
    return this.#parts.capabilities();
  }

  protected override get place(): RunPlace {
    const { sessionId, sessionFile } = this;
    return { sessionId, ...(sessionFile !== undefined && { sessionFile }) };
  }

  /** How much of the session has been received. Pass it to `attach` to resume there, even from another program. */
  get cursor(): SessionCursor {
    return this.#parts.link.cursor;
  }

  /** True while there is no connection. Commands wait for the next one. */
  get isAway(): boolean {
    return this.#parts.link.isAway;
  }

  /** Stops receiving frames of the session, which keeps running. */
  async detach(): Promise<void> {
    await this.#parts.detach();
    this.disconnect(new RpcClosedError("The session was detached"));
  }

  /** Ends the session's process; rejected while a run is active, unless `abort` is true. */
  async close(options: { abort?: boolean } = {}): Promise<void> {
    await this.#parts.close(options);
    this.disconnect(new RpcClosedError("The session was closed"));
  }

  override disconnect(reason?: unknown): void {
    this.#parts.forget();
    super.disconnect(reason);
  }

  /** Called by the gateway to set up the session. */
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
