import { errorText, isRecord, SerialWork } from "@pintle/ai";
import { plainText } from "@pintle/foundation";
import { type AddressQuestion, askAddress, askWhetherDone, readAddress } from "./ask-address.ts";
import { askForm, type ElicitAnswer } from "./ask-form.ts";
import { readForm } from "./form-fields.ts";
import type { Person } from "./person.ts";

export interface ElicitationsParts extends Person {
  server: string;
  warn(text: string): void;
}

/** The maximum number of waiting questions per server. Questions beyond it are cancelled. */
const MAX_WAITING = 10;
/** How many questions that cannot be asked are reported; a server may send more of them as fast as it can write. */
const MAX_REFUSALS = 10;
const MAX_MESSAGE = 4_000;
const MAX_ADDRESSES = 100;

/** Asks the user the questions of one server, one at a time. Answers go only to that server. */
export class Elicitations {
  readonly #parts: ElicitationsParts;
  readonly #questions = new SerialWork();
  /** Addresses that the user agreed to open, by the server's id for them, until the server reports completion. */
  readonly #opened = new Map<string, AbortController>();
  #waiting = 0;
  #refusals = 0;
  #endedAt = 0;

  constructor(parts: ElicitationsParts) {
    this.#parts = parts;
  }

  get isPossible(): boolean {
    return this.#parts.dialogs() !== undefined;
  }

  /** True while a question is open or queued. */
  get isOpen(): boolean {
    return this.#waiting > 0;
  }

  /** When the newest question ended, in monotonic time. */
  get endedAt(): number {
    return this.#endedAt;
  }

  /** Never rejects: a question that cannot be asked is declined, and one that ends without an answer is cancelled. */
  async answer(params: Record<string, unknown>, signal: AbortSignal): Promise<ElicitAnswer> {
    if (this.#waiting >= MAX_WAITING) return { action: "cancel" };
    this.#waiting += 1;
    const scope = this.#scope(signal);
    try {
      return await this.#questions.run(() => (scope.aborted ? { action: "cancel" } : this.#ask(params, scope)));
    } catch (error) {
      if (scope.aborted) return { action: "cancel" };
      this.#refusals += 1;
      if (this.#refusals <= MAX_REFUSALS) this.#parts.warn(`sent a question that was declined: ${errorText(error)}`);
      return { action: "decline" };
    } finally {
      this.#waiting -= 1;
      this.#endedAt = performance.now();
    }
  }

  /** Asks the user to open the addresses that the server requires. Resolves with true if the user did. Never rejects. */
  async openAll(required: readonly unknown[], signal: AbortSignal): Promise<boolean> {
    const scope = this.#scope(signal);
    try {
      return await this.#questions.run(async () => {
        for (const params of required.slice(0, MAX_WAITING)) if (!(await this.#visit(params, scope))) return false;
        return required.length > 0;
      });
    } catch (error) {
      this.#parts.warn(`asks the user to open an address that cannot be opened: ${errorText(error)}`);
      return false;
    }
  }

  async #visit(params: unknown, signal: AbortSignal): Promise<boolean> {
    const question = isRecord(params) && !signal.aborted ? this.#addressQuestion(params, signal) : undefined;
    if (!isRecord(params) || !question || (await askAddress(question)) !== "accept") return false;
    const completed = this.#remember(params.elicitationId);
    return askWhetherDone(question, { signal, completed });
  }

  /** Handles the server's report that all is done at an address. */
  completed(id: unknown): void {
    const opened = typeof id === "string" ? this.#opened.get(id) : undefined;
    if (!opened || typeof id !== "string") return; // not an address of an open question
    this.#opened.delete(id);
    opened.abort();
    this.#parts.inform(`MCP server "${this.#parts.server}": the step at its address is complete`);
  }

  async #ask(params: Record<string, unknown>, signal: AbortSignal): Promise<ElicitAnswer> {
    const dialogs = this.#parts.dialogs();
    if (!dialogs) return { action: "decline" };
    if (params.mode !== "url") {
      const question = { dialogs, heading: this.#heading, signal };
      return askForm(textOf(params.message), readForm(params.requestedSchema), question);
    }
    const question = this.#addressQuestion(params, signal);
    if (!question) return { action: "decline" };
    const action = await askAddress(question);
    if (action === "accept") this.#remember(params.elicitationId);
    return { action };
  }

  #addressQuestion({ message, url }: Record<string, unknown>, signal: AbortSignal): AddressQuestion | undefined {
    const dialogs = this.#parts.dialogs();
    const address = readAddress(typeof url === "string" ? url : "");
    return dialogs && { dialogs, heading: this.#heading, message: textOf(message), url: address, signal };
  }

  #remember(id: unknown): AbortSignal {
    const opened = new AbortController();
    if (typeof id !== "string") return opened.signal;
    const [oldest] = this.#opened.keys();
    if (this.#opened.size === MAX_ADDRESSES && oldest !== undefined) this.#opened.delete(oldest);
    this.#opened.set(id, opened);
    return opened.signal;
  }

  get #heading(): string {
    return `MCP server "${this.#parts.server}"`;
  }

  #scope(signal: AbortSignal): AbortSignal {
    const run = this.#parts.runSignal();
    return run ? AbortSignal.any([signal, run]) : signal;
  }
}

function textOf(message: unknown): string {
  return typeof message === "string" ? plainText(message).slice(0, MAX_MESSAGE) : "";
}
