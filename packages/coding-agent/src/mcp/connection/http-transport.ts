import {
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { HttpSpec } from "../config/server-spec.ts";
import type { ServerLogin } from "../login/server-login.ts";
import { ForbiddenError, toUnreachable } from "./failure-text.ts";
import { guardLogin } from "./guarded-fetch.ts";
import { watchAnswers } from "./http-answers.ts";

/** The parser may still hold the last events of a stream when it ends. */
const LATE_ANSWER_MS = 500;

const TRANSPORTS = { http: StreamableHTTPClientTransport, sse: SSEClientTransport };

/** The official transports. They follow redirects within the server's origin only, so that no header goes to another server. */
export function openHttpTransport({ transport: kind, url, headers }: HttpSpec, login?: ServerLogin): Transport {
  const answered = login ? patientFetch : explainedFetch;
  const guarded = guardLogin({ server: url, headers: Object.keys(headers), fetch: answered });
  const transport = new TRANSPORTS[kind](new URL(url), {
    requestInit: { headers: { ...headers } },
    ...(login && { authProvider: login.provider }),
    fetch: watchAnswers(guarded, (id, reason = "the connection ended before the answer") => {
      const error = { code: -32000, message: reason };
      // No effect on a caller that already has the response.
      const fail = () => transport.onmessage?.({ jsonrpc: "2.0", id, error });
      setTimeout(fail, LATE_ANSWER_MS).unref();
    }),
  });
  if (login?.person) login.person.redeem = (answer) => transport.finishAuth(answer);
  // Most errors concern one message and reach its caller. These end the connection.
  transport.onerror = (error) => {
    const isFinal = error instanceof SseError || error.message.startsWith("Maximum reconnection attempts");
    if (isFinal) transport.close().catch(() => {}); // no longer usable either way
  };
  return transport;
}

const REFUSALS: Readonly<Record<number, string>> = {
  401: "the server requires a login (HTTP 401); put a valid token into headers",
  403: "the server denied the request (HTTP 403); check the permissions of the token in headers",
};

/** Disables Bun's own time limit, which would end long calls; other limits apply. */
async function patientFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, timeout: false } as RequestInit);
  } catch (error) {
    throw toUnreachable(error);
  }
}

/** Rewords refusals that a user can fix. The server's own message is not shown, because it may quote credentials. */
async function explainedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await patientFetch(url, init);
  const refusal = REFUSALS[response.status];
  if (refusal === undefined) return response;
  await response.body?.cancel();
  throw response.status === 403 ? new ForbiddenError(refusal) : new Error(refusal);
}
