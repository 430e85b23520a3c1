import { fits } from "./patterns.ts";
import { type Frame, parseFrame } from "./scenario.ts";

interface Waiter {
  pattern: Frame;
  resolve(frame: Frame): void;
  reject(error: Error): void;
}

/** Frames from the host that no step has consumed yet. */
export class HostLines {
  readonly #kept: Frame[] = [];
  #waiter: Waiter | undefined;
  #hasEnded = false;

  /** `isAwaited` returns whether a later step waits for such a frame; others are answered immediately by `aside`. */
  receive(line: string, isAwaited: (frame: Frame) => boolean, aside: (frame: Frame | undefined) => void): void {
    if (line.trim() === "") return;
    const frame = parseFrame(line);
    if (frame && this.#waiter && fits(frame, this.#waiter.pattern)) this.#waiter.resolve(frame);
    else if (frame && isAwaited(frame)) this.#kept.push(frame);
    else aside(frame);
  }

  end(): void {
    this.#hasEnded = true;
    this.#waiter?.reject(new Error("the host closed stdin"));
  }

  /** Returns the first matching frame, even if it arrived earlier. */
  next(pattern: Frame, withinMs: number): Promise<Frame> {
    const index = this.#kept.findIndex((frame) => fits(frame, pattern));
    if (index !== -1) return Promise.resolve(this.#kept.splice(index, 1)[0] as Frame);
    if (this.#hasEnded) return Promise.reject(new Error("the host closed stdin"));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.reject(new Error(`it did not arrive within ${withinMs} ms`)), withinMs);
      const settled = () => {
        clearTimeout(timer);
        this.#waiter = undefined;
      };
      const waiter: Waiter = {
        pattern,
        resolve: (frame) => {
          settled();
          resolve(frame);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      this.#waiter = waiter;
    });
  }
}
