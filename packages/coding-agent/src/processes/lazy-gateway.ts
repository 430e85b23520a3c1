import type { ProcessGateway } from "./process-gateway.ts";

/** The gateway of a session and of the modules that belong to it; loaded with the first child process. */
export class LazyGateway {
  #gateway: Promise<ProcessGateway> | undefined;

  open(): Promise<ProcessGateway> {
    this.#gateway ??= import("./process-gateway.ts").then(
      ({ ProcessGateway }) => new ProcessGateway({ environment: process.env }),
    );
    return this.#gateway;
  }

  async killAll(reason: "session_change" | "shutdown", graceMs?: number): Promise<void> {
    await (await this.#gateway)?.killAll(reason, graceMs);
  }
}
