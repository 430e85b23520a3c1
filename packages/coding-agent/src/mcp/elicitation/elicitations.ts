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

/** A server that asks for more at once does not want an answer. */
const MAX_WAITING = 10;
/** How many questions that cannot be asked are reported; a server may send more of them as fast as it can write. */
const MAX_REFUSALS = 10;
const MAX_MESSAGE = 4_000;
const MAX_ADDRESSES = 100;

/** What one server asks the person, one question at a time. Answers go to the server and to no other place. */
export class Elicitations {
  readonly #parts: ElicitationsParts;
  readonly #questions = new SerialWork();
  /** Addresses that the person agreed to open, by the server's name for them, until it says that all is done there. */
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

  /** The person is asked at this moment, or will be. */
  get isOpen(): boolean {
    return this.#waiting > 0;
  }

  /** When the newest question ended, by the clock that never goes back. */
  get endedAt(): number {
    return this.#endedAt;
  }

  /** Never rejects: a question that cannot be put is declined, one that ends without an answer is cancelled. */
  async answer(params: Record<string, unknown>, signal: AbortSignal): Promise<ElicitAnswer> {
    if (this.#waiting >= MAX_WAITING) return { action: "cancel" };
    this.#waiting += 1;
    const scope = this.#scope(signal);
    try {
      return await this.#questions.run(() => (scope.aborted ? { action: "cancel" } : this.#ask(params, scope)));
    } catch (error) {
      if (scope.aborted) return { action: "cancel" };
      this.#refusals += 1;
      if (this.#refusals <= MAX_REFUSALS)
        this.#parts.warn(`asked for something that was declined: ${errorText(error)}`);
      return { action: "decline" };
    } finally {
      this.#waiting -= 1;
      this.#endedAt = performance.now();
    }
  }

  /** The server cannot go on before the person was at these addresses. True: they were. Never rejects. */
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

  /** The server says that all is done at an address. */
  completed(id: unknown): void {
    const opened = typeof id === "string" ? this.#opened.get(id) : undefined;
    if (!opened || typeof id !== "string") return; // not one that it was asked about
    this.#opened.delete(id);
    opened.abort();
    this.#parts.inform(`MCP server "${this.#parts.server}": what was to be done at its address is complete`);
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
