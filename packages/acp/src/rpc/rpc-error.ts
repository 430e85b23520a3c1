import { errorText } from "@pintle/ai";
import { CommandError } from "@pintle/gateway";
import type { ErrorCode } from "@pintle/wire";

/** JSON-RPC's error codes, and the ones that ACP adds. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  authRequired: -32000,
  notFound: -32002,
} as const;

/** A request that failed or was refused, by either side. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = (message: string) => new RpcError(CODES.invalidParams, message);
export const noSession = (sessionId: string) => new RpcError(CODES.notFound, `There is no session ${sessionId}`);

const OF_COMMAND: Partial<Record<ErrorCode, number>> = {
  invalid_request: CODES.invalidParams,
  not_allowed: CODES.invalidParams,
  not_found: CODES.notFound,
  not_open: CODES.notFound,
  not_attached: CODES.notFound,
  no_credentials: CODES.authRequired,
  cancelled: CODES.cancelled,
};

/** If an engine cannot start, only the text of its error has the reason. */
const NO_KEY = /has no API key/;

/** Converts an error for the client; `data` contains the engine's own code. */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof CommandError)) return new RpcError(CODES.internal, errorText(error));
  const code = NO_KEY.test(error.message) ? CODES.authRequired : (OF_COMMAND[error.code] ?? CODES.internal);
  return new RpcError(code, error.message, { code: error.code });
}
