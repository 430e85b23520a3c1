import type { SessionCursor } from "@pintle/wire";
import { successTail } from "../frames/responses.ts";
import type { Host } from "../host.ts";
import type { AttachedHosts, AttachOptions } from "./attached-hosts.ts";
import type { Attachment } from "./attachment.ts";
import { DeclaredCapabilities, isExclusive, refuseTaken, withoutTaken } from "./declared-capabilities.ts";
import type { FrameLog } from "./frame-log.ts";
import type { HostQuestions } from "./host-questions.ts";
import { type HostToolsUnion, lostToolResult } from "./host-tools.ts";
import type { AttachAnswer, LostRun } from "./live-session-options.ts";
import { isSuccess } from "./sent-commands.ts";
import type { Capability } from "./session-frame.ts";
import type { SessionPicture } from "./session-picture.ts";
import { requestSnapshot } from "./snapshot.ts";
import type { WorkerCommands } from "./worker-commands.ts";

export interface HostAttachmentsParts {
  log: FrameLog;
  hosts: AttachedHosts;
  questions: HostQuestions;
  tools: HostToolsUnion;
  picture: SessionPicture;
  commands: Pick<WorkerCommands, "request" | "notify">;
  /** How long tools of a lost connection wait for their host. */
  toolGraceMs: number;
  /** The run that the previous node has not finished. */
  lostRun(): LostRun | undefined;
  /** Called when hosts have attached or detached. */
  onChanged(): void;
}

/**
 * Attaches hosts to a session and detaches them: replays what they missed, and manages their capabilities and tools.
 */
export class HostAttachments {
  readonly #parts: HostAttachmentsParts;
  readonly #capabilities = new DeclaredCapabilities();
  /** Timers that release the tools of lost connections. */
  readonly #graces = new Set<ReturnType<typeof setTimeout>>();

  constructor(parts: HostAttachmentsParts) {
    this.#parts = parts;
  }

  /** The combined capabilities of the hosts, as declared to the worker. */
  get declared(): DeclaredCapabilities["declared"] {
    return this.#capabilities.declared;
  }

  /**
   * Attaches a host. Calls `answer` before the host's first frame, which is a snapshot if the ring does not go back far
   * enough.
   */
  attach(host: Host, options: AttachOptions, answer: AttachAnswer): Attachment {
    const capabilities = withoutTaken(this.#parts.hosts.all(), host.id, options.capabilities ?? {});
    const attachment = this.#parts.hosts.add(host, { ...options, capabilities });
    this.#declare();
    this.#parts.onChanged();
    const { since } = options;
    if (!since) {
      answer.attached(this.#parts.log.cursor, false);
      attachment.isLive = true;
    } else if (since.epoch === this.#parts.log.cursor.epoch && this.#parts.hosts.canReplay(attachment, since.seq)) {
      answer.attached(since, false); // each frame that follows advances the cursor
      this.#parts.hosts.replay(attachment, since.seq);
    } else {
      this.#snapshot(attachment, { ...options, since }, answer);
    }
    return attachment;
  }

  /** Detaches a host. `isLost` means that its connection broke, so it may come back. */
  detach(hostId: number, { isLost = false }: { isLost?: boolean } = {}): void {
    const attachment = this.#parts.hosts.remove(hostId);
    if (!attachment) return;
    const { capabilities, host } = attachment;
    const lost = (Object.keys(capabilities) as Capability[]).filter((name) => isExclusive(name) && capabilities[name]);
    for (const answer of this.#parts.questions.release(lost)) this.#parts.commands.notify(answer);
    const mayReturn = isLost && capabilities.toolGrace === true && host.transport !== "stdio";
    if (mayReturn && this.#parts.toolGraceMs > 0 && this.#parts.tools.orphan(hostId)) this.#keepTools(hostId);
    else this.#releaseTools(hostId);
    this.#declare();
    this.#parts.onChanged();
  }

  /** Detaches all hosts, because the session ends. */
  close(): void {
    for (const timer of this.#graces) clearTimeout(timer);
  }

  #keepTools(hostId: number): void {
    const timer = setTimeout(() => {
      this.#graces.delete(timer);
      this.#releaseTools(hostId);
    }, this.#parts.toolGraceMs);
    timer.unref();
    this.#graces.add(timer);
  }

  #releaseTools(hostId: number): void {
    const { calls, hadTools } = this.#parts.tools.release(hostId);
    for (const { id, toolName } of calls) this.#parts.commands.notify(lostToolResult(id, toolName));
    if (hadTools) this.#parts.commands.notify({ type: "set_host_tools", tools: this.#parts.tools.union() });
  }

  /**
   * Checks a declaration for this session. Throws CommandError if another connection holds the files or the terminal.
   */
  checkDeclaration({ host }: Attachment, capabilities: Attachment["capabilities"]): void {
    refuseTaken(this.#parts.hosts.all(), host.id, capabilities);
  }

  /** Declares what the host can answer, and sends it the open questions that it has not yet received. */
  declare(attachment: Attachment, requested: Attachment["capabilities"]): void {
    const capabilities = withoutTaken(this.#parts.hosts.all(), attachment.host.id, requested);
    const before = attachment.capabilities;
    attachment.capabilities = { ...before, ...capabilities };
    this.#declare();
    const isNew = (name: keyof typeof capabilities) => capabilities[name] === true && before[name] !== true;
    for (const question of this.#pendingFor(isNew)) {
      // No number: a host that has seen later frames would consider this one a duplicate.
      attachment.host.send({
        json: this.#parts.log.routed(JSON.stringify(question)),
        sessionId: this.#parts.log.sessionId,
      });
    }
  }

  /** Returns the frames of open questions that hosts with these capabilities can answer. */
  #pendingFor(isAble: (capability: Capability) => boolean): unknown[] {
    return [...this.#parts.questions.framesFor(isAble), ...(isAble("budgets") ? this.#parts.picture.budget() : [])];
  }

  /** Sets a host's tools. Throws CommandError. `answer` receives the response without its id. */
  setTools(hostId: number, tools: unknown, answer: (tail: string) => void): void {
    const { own, union } = this.#parts.tools.unionWith(hostId, tools);
    const before = this.#parts.tools.of(hostId);
    this.#parts.tools.set(hostId, own); // reserve the names before the worker responds
    this.#parts.commands.request({ type: "set_host_tools", tools: union }, (tail) => {
      if (!isSuccess(tail)) {
        this.#parts.tools.set(hostId, before);
        return answer(tail);
      }
      const host = this.#parts.hosts.get(hostId)?.host;
      if (!host) this.#parts.tools.release(hostId);
      const redelivered = host ? this.#parts.tools.takeOver(hostId) : [];
      answer(successTail("set_host_tools", { toolNames: this.#parts.tools.namesOf(hostId) }));
      const { log } = this.#parts;
      for (const line of redelivered) {
        // No number, as with a question that is sent again.
        const json = log.routed(JSON.stringify({ ...JSON.parse(line), redelivered: true }));
        host?.send({ json, sessionId: log.sessionId });
      }
    });
  }

  #declare(): void {
    const change = this.#capabilities.change(this.#parts.hosts.all());
    if (change) this.#parts.commands.notify({ type: "set_host_capabilities", ...change });
  }

  #snapshot(
    attachment: Attachment,
    { since, lastEntries }: AttachOptions & { since: SessionCursor },
    answer: AttachAnswer,
  ): void {
    const isAble = (name: Capability) => attachment.capabilities[name] === true;
    const pending = () => [...this.#pendingFor(isAble), ...this.#parts.picture.previews()];
    const snapshotOptions = { entryId: since.entryId, lastEntries };
    const { log, picture, commands } = this.#parts;
    requestSnapshot({ log, commands, picture, pending }, snapshotOptions, {
      done: (snapshot) => {
        if (!this.#parts.hosts.has(attachment.host.id)) return;
        answer.attached(since, true);
        const lostRun = this.#parts.lostRun();
        const interrupted = lostRun && { interrupted: lostRun };
        const json = this.#parts.log.routed(JSON.stringify({ type: "session_snapshot", ...snapshot, ...interrupted }));
        attachment.host.send({ json, sessionId: this.#parts.log.sessionId });
        // The engine reports damage once, when it opens the file.
        const { damage } = picture;
        if (damage !== undefined) attachment.host.send({ json: log.routed(damage), sessionId: log.sessionId });
        attachment.isLive = true;
      },
      fail: (tail) => {
        this.detach(attachment.host.id);
        answer.failed(tail);
      },
    });
  }
}
