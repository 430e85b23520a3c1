import type { FailureResponse } from "../protocol.ts";
import { RpcCommandError, RpcConflictError } from "./errors.ts";
import type { Settle, Waits } from "./waits.ts";

export type ResponseFrame =
  | { type: "response"; id?: string | number; command: string; success: true; data?: unknown }
  | FailureResponse;

/** Called as soon as the response is read, before any later frame. */
export interface AnswerObserver {
  onSuccess?(data: unknown): void;
  /** Called if the response is a failure or never arrives. */
  onFailure?(): void;
}

export interface RequestJob extends AnswerObserver {
  id: string;
  command: string;
  /** Sends the frame. Returns a function that withdraws it unless it has been sent. */
  send(): () => void;
  signal?: AbortSignal | undefined;
  /** Undefined selects the default timeout of the command. */
  timeoutMs?: number | undefined;
}

interface Pending {
  command: string;
  isUnlimited: boolean;
  settle: Settle<unknown>;
}

/** Commands without a default timeout. */
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
/** Unlimited commands that do not delay the commands after them. */
const DETACHED = new Set(["bash", "resolve_pending_action"]);

/** Commands that have been sent and have no response yet, in the order they were sent. */
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
      // The server runs commands in order, so a command queued after a long one is not late.
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
          forget(); // a frame that is not JSON was never sent
          throw error;
        }
        return forget;
      },
    });
  }

  /** Returns false if no call is waiting for this response. */
  answer(id: string, response: ResponseFrame): boolean {
    const pending = this.#pending.get(id);
    if (!pending) return false;
    if (response.success) pending.settle.resolve(response.data);
    else pending.settle.reject(toError(response));
    return true;
  }

  /** Returns the request that a failure without an id belongs to, if there is only one candidate. */
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
  if (code === "conflict") return new RpcConflictError({ command, error });
  return new RpcCommandError({ command, error, ...(code !== undefined && { code }) });
}
