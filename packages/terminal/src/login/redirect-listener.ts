import { createServer } from "node:http";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
const PAGE =
  '<!doctype html><meta charset="utf-8"><title>pintle</title><p style="font: 1rem system-ui; margin: 3rem">You can close this page and go back to the terminal.</p>';
const HEADERS = {
  "content-type": "text/html",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  connection: "close",
};

/**
 * Waits for the browser on this machine, to which the login will redirect it, if the session runs on another one.
 * Resolves with the URL that the browser requested. Resolves with undefined if waiting here is impossible, because the
 * login redirects elsewhere or the port is taken, for example by a session on this machine, which waits there itself.
 */
export function waitForRedirect(loginUrl: URL, signal: AbortSignal): Promise<string | undefined> {
  const wanted = URL.parse(loginUrl.searchParams.get("redirect_uri") ?? "");
  if (wanted?.protocol !== "http:" || !LOOPBACK.has(wanted.hostname) || wanted.port === "") {
    return Promise.resolve(undefined);
  }
  const state = loginUrl.searchParams.get("state");
  /** Any page in the browser can send requests here; one with another state does not belong to this login. */
  const isExpected = ({ origin, pathname, searchParams }: URL) =>
    origin === wanted.origin && pathname === wanted.pathname && (state === null || searchParams.get("state") === state);
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      const came = URL.parse(request.url ?? "", wanted.origin);
      if (request.method !== "GET" || !came || !isExpected(came)) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, HEADERS).end(PAGE, () => finish(came.href));
    });
    const finish = (address: string | undefined) => {
      signal.removeEventListener("abort", onAbort);
      server.close();
      resolve(address);
    };
    const onAbort = () => finish(undefined);
    server.once("error", onAbort);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) return onAbort();
    server.listen(Number(wanted.port), wanted.hostname.replace(/[[\]]/g, ""));
  });
}
