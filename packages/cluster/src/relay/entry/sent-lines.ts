import type { HostFrame } from "@pintle/gateway/cluster";
import type { FrameId } from "@pintle/wire";

/** Commands that were relayed to another node and have no response yet. */
export class SentLines {
  readonly #byId = new Map<string, HostFrame[]>();
  #size = 0;
  #whenEmpty: (() => void)[] = [];

  /** A command without an id gets no response that could be told apart from others. */
  add(frame: HostFrame): void {
    if (frame.id === undefined) return;
    const key = JSON.stringify(frame.id);
    this.#byId.set(key, [...(this.#byId.get(key) ?? []), frame]);
    this.#size += 1;
  }

  /** Removes the oldest command with the id. A prompt may get two responses; the second finds none. */
  answered(id: FrameId): HostFrame | undefined {
    const key = JSON.stringify(id);
    const [frame, ...rest] = this.#byId.get(key) ?? [];
    if (rest.length > 0) this.#byId.set(key, rest);
    else this.#byId.delete(key);
    if (frame) this.#removed(1);
    return frame;
  }

  /** Removes and returns all commands without a response. */
  takeAll(): HostFrame[] {
    const frames = [...this.#byId.values()].flat();
    this.#byId.clear();
    this.#removed(this.#size);
    return frames;
  }

  whenEmpty(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  #removed(count: number): void {
    this.#size -= count;
    if (this.#size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }
}
