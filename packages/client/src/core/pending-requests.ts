import type { FailureResponse } from "../protocol.ts";
import { RpcCommandError } from "./errors.ts";
import type { Settle, Waits } from "./waits.ts";

export type ResponseFrame =
  | { type: "response"; id?: string | number; command: string; success: true; data?: unknown }
  | FailureResponse;

/** Told in the moment the answer is read, before any frame behind it. */
export interface AnswerObserver {
  onSuccess?(data: unknown): void;
  /** There is no answer, or it is a failure. */
  onFailure?(): void;
}

export interface RequestJob extends AnswerObserver {
  id: string;
  command: string;
  /** Sends the frame; gives a function that takes it back if it has not left. */
  send(): () => void;
  signal?: AbortSignal | undefined;
  /** Undefined: the usual limit of this command. */
  timeoutMs?: number | undefined;
}

interface Pending {
  command: string;
  isUnlimited: boolean;
  settle: Settle<unknown>;
}

/** Commands that take as long as they take. */
const UNLIMITED = new Set([
  "bash",
  "compact",
  "new_session",
  "switch_session",
  "branch",
  "fork",
  "clone",
  "export_html",
  "resolve_pending_action",
]);
/** Of these, the ones that no call waits for. */
const DETACHED = new Set(["bash", "resolve_pending_action"]);

/** Commands that were sent and not answered yet, in the order of sending. */
export class PendingRequests {
  readonly #waits: Waits;
  readonly #defaultTimeoutMs: number;
  readonly #pending = new Map<string, Pending>();

  constructor(waits: Waits, defaultTimeoutMs: number) {
    this.#waits = waits;
    this.#defaultTimeoutMs = defaultTimeoutMs;
  }

  open({ id, command, send, signal, timeoutMs, onSuccess, onFailure }: RequestJob): Promise<unknown> {
    const isUnlimited = timeoutMs === undefined && UNLIMITED.has(command);
    return this.#waits.wait<unknown>({
      what: command,
      signal,
      timeoutMs: isUnlimited ? undefined : (timeoutMs ?? this.#defaultTimeoutMs),
      // The server takes commands in order, so one behind a long command is not late.
      isExtended: () => timeoutMs === undefined && this.#isBehindLong(id),
      start: ({ resolve, reject }) => {
        let isAnswered = false;
        const settle = {
          resolve(data: unknown) {
            isAnswered = true;
            onSuccess?.(data);
            resolve(data);
          },
          reject,
        };
        let takeBack = () => {};
        const forget = () => {
          this.#pending.delete(id);
          takeBack();
          if (!isAnswered) onFailure?.();
        };
        this.#pending.set(id, { command, isUnlimited, settle });
        try {
          takeBack = send();
        } catch (error) {
          forget(); // what is no JSON was never asked
          throw error;
        }
        return forget;
      },
    });
  }

  /** False when no call waits for it. */
  answer(id: string, response: ResponseFrame): boolean {
    const pending = this.#pending.get(id);
    if (!pending) return false;
    if (response.success) pending.settle.resolve(response.data);
    else pending.settle.reject(toError(response));
    return true;
  }

  /** Whom a failure without an id is for, if that is certain. */
  findByCommand(command: string): string | undefined {
    const ofCommand = [...this.#pending].filter(([, pending]) => pending.command === command);
    if (ofCommand.length === 1) return ofCommand[0]![0];
    const isAnybodys = command === "parse" && this.#pending.size === 1;
    return isAnybodys ? [...this.#pending.keys()][0] : undefined;
  }

  #isBehindLong(id: string): boolean {
    for (const [other, { command, isUnlimited }] of this.#pending) {
      if (other === id) return false;
      if (isUnlimited && !DETACHED.has(command)) return true;
    }
    return false;
  }
}

export function toError({ command, error, code }: FailureResponse): RpcCommandError {
  return new RpcCommandError({ command, error, ...(code !== undefined && { code }) });
}
