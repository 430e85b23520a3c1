import { RpcClient } from "@pintle/client";
import { type Engine, type EngineEvents, type ListScope, MAX_LISTED, type OtherSession } from "./engine.ts";

export interface ChildOptions {
  /** The command that starts the program. */
  command: readonly string[];
  /** Arguments for the session. */
  args: readonly string[];
  cwd: string;
}

/** Allows extensions to set the window title. */
const WITH_TITLE = { PINTLE_RPC_EMIT_TITLE: "1" };

/** Runs the session in a child process. */
export class ChildEngine implements Engine {
  readonly #client: RpcClient;
  readonly #cwd: string;
  #events: EngineEvents | undefined;
  #isStopped = false;

  constructor({ command, args, cwd }: ChildOptions) {
    this.#cwd = cwd;
    this.#client = new RpcClient({ command, args, env: WITH_TITLE, updateMode: "delta" });
  }

  async start(events: EngineEvents): Promise<void> {
    this.#events = events;
    events.onSession(this.#client);
    await this.#client.start();
    this.#watch();
  }

  async resume(): Promise<void> {
    await this.#client.restart();
    this.#watch();
  }

  async list({ isEverywhere, ...query }: ListScope): Promise<OtherSession[]> {
    const scope = isEverywhere ? {} : { cwd: this.#cwd };
    const { sessions } = await this.#client.listSessions({ ...scope, ...query, limit: MAX_LISTED });
    return sessions.map((session) => ({ ...session, id: session.sessionFile }));
  }

  async rename({ id }: OtherSession, name: string): Promise<void> {
    await this.#client.renameSession(name, { sessionPath: id });
  }

  async delete({ id }: OtherSession): Promise<void> {
    await this.#client.deleteSession({ sessionPath: id });
  }

  async restore({ sessionId }: OtherSession): Promise<void> {
    await this.#client.restoreSession(sessionId);
  }

  /** Switches inside the same process; events report the change. */
  async open(id?: string): Promise<void> {
    await (id === undefined ? this.#client.newSession() : this.#client.switchSession(id));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client.stop();
  }

  #watch(): void {
    // This promise never rejects.
    void this.#client.exited.then(({ code, signal }) => {
      if (this.#isStopped) return;
      const how = signal === null ? `has exited with code ${code}` : `was ended by ${signal}`;
      this.#events?.onLost(`The engine ${how}\n${this.#client.getStderr()}`.trimEnd());
    });
  }
}
