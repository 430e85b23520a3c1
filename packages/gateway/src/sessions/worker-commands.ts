import { CommandError } from "../frames/command-error.ts";
import type { HostFrame } from "../frames/host-frame.ts";
import { failureTail } from "../frames/responses.ts";
import type { Host } from "../host.ts";
import { CommandKeys } from "./command-keys.ts";
import { type CommandTraces, OpenSpans } from "./command-traces.ts";
import type { FrameHold } from "./frame-hold.ts";
import type { SessionLog } from "./live-session-options.ts";
import { RepeatedCommands } from "./repeated-commands.ts";
import { BEGINS_RUN, BEGINS_WORK, isSuccess, type SentCommand, SentCommands } from "./sent-commands.ts";
import type { SessionWorker } from "./session-worker.ts";

type Fields = Record<string, unknown>;
type Command = Fields & { type: string };

export interface WorkerCommandsParts {
  sessionId: string;
  worker: SessionWorker;
  hold: FrameHold;
  log: SessionLog | undefined;
  traces: CommandTraces | undefined;
  /** Called when the session may have become busy or idle. */
  onChanged(): void;
}

/** Sends commands to the worker of a session and keeps them until they have a response. */
export class WorkerCommands {
  readonly sent = new SentCommands();
  readonly repeated = new RepeatedCommands();
  readonly spans = new OpenSpans();
  readonly #keys = new CommandKeys();
  readonly #parts: WorkerCommandsParts;

  constructor(parts: WorkerCommandsParts) {
    this.#parts = parts;
    for (const { key, tail } of parts.log?.answered ?? []) this.#keys.remember(key, tail);
    for (const line of parts.log?.kept ?? []) this.repeated.keep(line);
  }

  /**
   * Sends a host's command. `answer` receives the response without its id; the response of a prompt may be followed by a second
   * one.
   */
  fromHost(host: Host, { fields, id, commandKey: key }: HostFrame, answer: (tail: string) => void): void {
    const { type } = fields;
    if (key !== undefined && !this.#keys.claim(key, answer)) return;
    const { sessionId, log, traces, onChanged } = this.#parts;
    let sentId: string | undefined;
    const onResponse = (tail: string) => {
      if (isSuccess(tail)) this.repeated.accepted(type, fields);
      else this.spans.end(sentId, "refused", "refused");
      if (key !== undefined) this.#keys.answered(key, tail);
      answer(tail);
      onChanged();
    };
    if (BEGINS_WORK.has(type) && (log?.workableMs() ?? 1) <= 0) {
      const text = "The database does not confirm that this node owns the session. Try again later";
      onResponse(failureTail(type, new CommandError("store_unavailable", text)));
      return;
    }
    const span = BEGINS_RUN.has(type) ? traces?.begin(type, { sessionId, fields }) : undefined;
    sentId = this.#send(
      { ...fields, ...span?.headers },
      { command: type, from: { host, id }, ...(key !== undefined && { key }), onResponse },
    );
    if (span) this.spans.add(sentId, span);
    onChanged();
  }

  /** Sends a command of the gateway. `onResponse` is called in the order of the frames. */
  request(fields: Command, onResponse: (tail: string) => void): void {
    this.#send(fields, { command: fields.type, from: "gateway", onResponse });
  }

  /**
   * Sends a command of the gateway even if the session has no worker and the server has no room for one. Resolves with
   * the response.
   */
  async requestAlways(fields: Command): Promise<string> {
    const answered = Promise.withResolvers<string>();
    const id = this.#add(fields, { command: fields.type, from: "gateway", onResponse: answered.resolve });
    const done = answered.promise.then(() => {});
    await this.#parts.worker.sendAlways(JSON.stringify({ ...fields, id }), id, done);
    return answered.promise;
  }

  /**
   * Sends a frame that has no response. Drops it if there is no worker: the introduction of the next worker contains
   * the same.
   */
  notify(fields: Fields): void {
    this.#parts.worker.sendIfRunning(JSON.stringify(fields));
  }

  /** Aborts what the worker is doing. */
  abort(): void {
    for (const type of ["abort_bash", "abort"]) this.notify({ type });
  }

  /** Confirms to the worker that this node still has the lease. */
  confirmLease(): void {
    for (const line of this.leaseLines()) this.#parts.worker.sendIfRunning(line);
  }

  /** Returns the frame that confirms the lease, or nothing for a session without one. */
  leaseLines(): string[] {
    const ms = this.#parts.log?.workableMs();
    return ms === undefined ? [] : [JSON.stringify({ type: "confirm_lease", ms: Math.max(ms, 1) })];
  }

  /** Fails the commands with these ids, or all that have no response. */
  fail(error: CommandError, ids?: readonly string[]): void {
    this.sent.failAll((command) => failureTail(command, error), ids);
  }

  /** Fails commands that no worker received. */
  failUnsent(ids: readonly string[], error: CommandError): void {
    for (const id of ids) this.sent.settle(id, failureTail(this.sent.find(id)?.command ?? "", error));
  }

  /** Returns the id under which the worker receives the command. */
  #send(fields: Fields, command: SentCommand): string {
    const id = this.#add(fields, command);
    this.#parts.worker.send(JSON.stringify({ ...fields, id }), id);
    return id;
  }

  #add(fields: Fields, command: SentCommand): string {
    const id = this.sent.add(command);
    this.#parts.hold.sending(id, { command: command.command, key: command.key, fields });
    return id;
  }
}
