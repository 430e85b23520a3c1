import type {
  CreateElicitationRequest,
  CreateTerminalRequest,
  RequestPermissionRequest,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import type { RpcPeer } from "../rpc/rpc-peer.ts";
import type { ClientAbilities } from "./client-capabilities.ts";

/** The client as seen by one session. Its answers are validated: an answer in any unexpected form is ignored. */
export class AcpClient {
  readonly sessionId: string;
  readonly able: ClientAbilities;
  readonly #peer: RpcPeer;
  /** Updates and questions that wait until the client knows the session. */
  #held: SessionUpdate[] | undefined = [];
  readonly #known = Promise.withResolvers<void>();

  constructor(sessionId: string, peer: RpcPeer, able: ClientAbilities) {
    this.sessionId = sessionId;
    this.#peer = peer;
    this.able = able;
  }

  update(update: SessionUpdate): void {
    if (this.#held) this.#held.push(update);
    else this.tellNow(update);
  }

  /** Sends an update before those that wait, such as the history of a session that is being loaded. */
  tellNow(update: SessionUpdate): void {
    this.#peer.notify("session/update", { sessionId: this.sessionId, update });
  }

  /** From now on the client knows the session. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const update of held) this.tellNow(update);
    this.#known.resolve();
  }

  /**
   * Resolves with the id of the chosen option, or undefined if none was chosen. Rejects if the client cannot be asked.
   */
  async askPermission(
    question: Omit<RequestPermissionRequest, "sessionId">,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await this.#ask("session/request_permission", question, signal);
    const outcome = isRecord(answer) && isRecord(answer.outcome) ? answer.outcome : {};
    return outcome.outcome === "selected" && typeof outcome.optionId === "string" ? outcome.optionId : undefined;
  }

  /** Resolves with the submitted form, or undefined if it was declined or closed. */
  async elicit(
    form: { message: string } & Pick<Extract<CreateElicitationRequest, { mode: "form" }>, "requestedSchema">,
    signal: AbortSignal,
  ): Promise<Record<string, unknown> | undefined> {
    const answer = await this.#ask("elicitation/create", { mode: "form", ...form }, signal);
    if (!isRecord(answer) || answer.action !== "accept") return undefined;
    return isRecord(answer.content) ? answer.content : {};
  }

  async readFile(path: string, signal: AbortSignal): Promise<string | undefined> {
    const answer = await this.#ask("fs/read_text_file", { path }, signal);
    return isRecord(answer) && typeof answer.content === "string" ? answer.content : undefined;
  }

  async writeFile(path: string, content: string, signal: AbortSignal): Promise<void> {
    await this.#ask("fs/write_text_file", { path, content }, signal);
  }

  async createTerminal(
    terminal: Omit<CreateTerminalRequest, "sessionId">,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await this.#ask("terminal/create", terminal, signal);
    return isRecord(answer) && typeof answer.terminalId === "string" ? answer.terminalId : undefined;
  }

  /** Returns undefined if a signal ended the request. */
  async terminalExit(terminalId: string, signal: AbortSignal): Promise<number | undefined> {
    const answer = await this.#ask("terminal/wait_for_exit", { terminalId }, signal);
    return isRecord(answer) && Number.isInteger(answer.exitCode) ? (answer.exitCode as number) : undefined;
  }

  async terminalOutput(terminalId: string): Promise<string> {
    const answer = await this.#ask("terminal/output", { terminalId });
    return isRecord(answer) && typeof answer.output === "string" ? answer.output : "";
  }

  async killTerminal(terminalId: string): Promise<void> {
    await this.#ask("terminal/kill", { terminalId });
  }

  async releaseTerminal(terminalId: string): Promise<void> {
    await this.#ask("terminal/release", { terminalId });
  }

  async #ask(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (this.#held) await this.#known.promise;
    return this.#peer.request(method, { sessionId: this.sessionId, ...params }, signal);
  }
}
