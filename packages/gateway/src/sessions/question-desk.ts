import type { QuestionState } from "@pintle/wire";
import type { Host } from "../host.ts";
import { EndedQuestions } from "./ended-questions.ts";
import { HostQuestions } from "./host-questions.ts";
import { HostToolsUnion, lostToolResult } from "./host-tools.ts";
import type { Capability } from "./session-frame.ts";
import type { SessionOutput } from "./session-output.ts";

type Fields = Record<string, unknown>;

/**
 * Owns a worker's questions and its calls of host tools. Frames of the worker open and end them; answers of hosts settle them.
 */
export class QuestionDesk {
  readonly #ended = new EndedQuestions();
  readonly questions = new HostQuestions(this.#ended);
  readonly tools = new HostToolsUnion(this.#ended);
  readonly #output: SessionOutput;
  readonly #sendToWorker: (fields: Fields) => void;

  constructor(output: SessionOutput, sendToWorker: (fields: Fields) => void) {
    this.#output = output;
    this.#sendToWorker = sendToWorker;
  }

  // Frames of the worker

  /** Emits a question, or a frame that ends one, to the hosts that can answer it. */
  question(type: string, line: string): void {
    const fields = JSON.parse(line) as Fields;
    const audience = this.questions.audienceOf(type, fields);
    const frame = this.#output.emit(type, line, audience && { audience });
    this.questions.sent(frame, fields);
  }

  /** Emits a call to the host that owns the tool; a call without an owner fails at once. */
  toolCall(type: string, line: string): void {
    const { id, toolName } = JSON.parse(line) as { id: string; toolName: string };
    const owner = this.tools.called(id, toolName, line);
    if (owner === undefined) this.#sendToWorker(lostToolResult(id, toolName));
    else this.#output.emit(type, line, { audience: { owner } });
  }

  toolCancel(type: string, line: string): void {
    const { targetId } = JSON.parse(line) as { targetId: string };
    const owner = this.tools.ownerOfCall(targetId);
    this.tools.callEnded(targetId);
    if (owner !== undefined) this.#output.emit(type, line, { audience: { owner } });
  }

  /** Ends everything that is open, because the worker that asked has ended. */
  clear(): void {
    this.questions.clear();
    this.tools.forgetCalls();
  }

  // Answers of hosts. Both methods return the state of the question: `open` if the answer was accepted.

  /** Accepts the first answer of a host that was asked, and reports it to the other hosts. */
  answer(host: Host, type: string, fields: Fields): QuestionState {
    const has = (name: Capability) => this.#output.hosts.get(host.id)?.capabilities[name] === true;
    const taken = this.questions.take(type, fields.id, { hostId: host.id, has });
    if (!taken) return this.#ended.stateOf(String(fields.id));
    this.#sendToWorker(fields);
    const { capability, cancel } = taken;
    if (cancel) {
      const audience = { capability, except: host.id };
      this.#output.emit(String(cancel.type), JSON.stringify(cancel), { audience });
    }
    return "open";
  }

  /** Accepts `host_tool_update` and `host_tool_result`, but only from the host that was called. */
  answerOfTool(host: Host, type: string, fields: Fields): QuestionState {
    const id = String(fields.id);
    if (this.tools.ownerOfCall(fields.id) !== host.id) return this.#ended.stateOf(id);
    if (type === "host_tool_result") this.tools.answered(id, host.id);
    this.#sendToWorker(fields);
    return "open";
  }

  /** Returns the host that answered a question. A strict worker refuses an answer and names the id of its question. */
  senderOf(id: unknown): Host | undefined {
    const hostId = this.#ended.answeredBy(id);
    return hostId === undefined ? undefined : this.#output.hosts.get(hostId)?.host;
  }
}
