import { OutputTail } from "../../processes/output-tail.ts";
import { keepTail, toPlainText } from "../../processes/terminal-text.ts";

const KEPT_BYTES = 16 * 1024;
const SHOWN = { maxLines: 20, maxBytes: 2048 };

/** What a server wrote for people, of which the end is shown when something goes wrong. Memory stays the same whatever comes. */
export class ServerWords {
  readonly #tail = new OutputTail(KEPT_BYTES);

  add(chunk: Uint8Array): undefined {
    this.#tail.append(chunk);
  }

  text(): string {
    const raw = this.#tail.bytes();
    const text = toPlainText(raw, { hasStart: raw.length === this.#tail.totalBytes, hasEnd: true });
    return keepTail(text, SHOWN).text.trim();
  }
}
