import { RpcClient } from "@pintle/client";
import type { Engine, EngineEvents } from "./engine.ts";

export interface ChildOptions {
  /** How the program is started. */
  command: readonly string[];
  /** What the session is started with. */
  args: readonly string[];
}

/** An engine as a child of this process. */
export class ChildEngine implements Engine {
  readonly #client: RpcClient;
  #events: EngineEvents | undefined;
  #isStopped = false;

  constructor({ command, args }: ChildOptions) {
    this.#client = new RpcClient({ command, args, updateMode: "delta" });
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

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client.stop();
  }

  #watch(): void {
    // The end of a process does not reject.
    void this.#client.exited.then(({ code, signal }) => {
      if (this.#isStopped) return;
      const how = signal === null ? `has exited with code ${code}` : `was ended by ${signal}`;
      this.#events?.onLost(`The engine ${how}\n${this.#client.getStderr()}`.trimEnd());
    });
  }
}
