import { describe, expect, test } from "bun:test";
import type { ProviderErrorKind } from "../../src/errors.ts";
import { readChecked } from "./event-checker.ts";
import type { ProtocolSamples } from "./fault-matrix.ts";
import { ask, KEY, open } from "./fault-matrix-answer.ts";
import { sendEvents, sendStatus, startLoopbackServer } from "./loopback-server.ts";

/** Maps a status to its kind, and the kind if the body is empty. */
const STATUSES: readonly [number, ProviderErrorKind, ProviderErrorKind][] = [
  [400, "invalid_request", "overflow"],
  [401, "auth", "auth"],
  [403, "auth", "auth"],
  [404, "not_found", "not_found"],
  [413, "too_large", "overflow"],
  [429, "rate_limit", "rate_limit"],
  [500, "server", "server"],
  [503, "overloaded", "overloaded"],
  [529, "overloaded", "overloaded"],
];
const HTML = "<html><head><title>Bad day</title></head><body>nginx</body></html>";

/** Error responses. */
export function describeStatuses(samples: ProtocolSamples): void {
  describe("statuses", () => {
    test.each(STATUSES)("HTTP %d is %s", async (status, kind, kindWhenEmpty) => {
      const vendor = await ask(samples, sendStatus(status, samples.errorBody(status, "The vendor's words")));
      expect(vendor.failure).toEqual({ kind, status });
      expect(vendor.message.errorMessage).toBe(`HTTP ${status}: The vendor's words`);

      const page = await ask(samples, sendStatus(status, HTML, { "content-type": "text/html" }));
      expect(page.failure).toEqual({ kind, status });
      expect(page.message.errorMessage).toBe(`HTTP ${status}: an HTML page ("Bad day")`);

      const empty = await ask(samples, sendStatus(status, "", {}));
      expect(empty.failure).toEqual({ kind: kindWhenEmpty, status });
      expect(empty.message.errorMessage).toStartWith(`HTTP ${status}: `);
    });

    test.each([429, 503, 529])("HTTP %d with retry-after in seconds", async (status) => {
      const body = samples.errorBody(status, "Later");
      const { failure } = await ask(samples, sendStatus(status, body, { "retry-after": "7" }));
      expect(failure).toMatchObject({ status, retryAfterMs: 7000 });
    });

    test("retry-after as a date", async () => {
      const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
      const body = samples.errorBody(429, "Later");
      const { failure } = await ask(samples, sendStatus(429, body, { "retry-after": inAnHour }));
      expect(failure?.retryAfterMs).toBeWithin(3_500_000, 3_600_001);
    });

    test("an oversized error body is cut", async () => {
      const { message } = await ask(samples, sendStatus(500, samples.errorBody(500, "x".repeat(1_000_000))));
      expect((message.errorMessage as string).length).toBeLessThan(3000);
    });

    test("a redirect is refused and names the new origin", async () => {
      await using elsewhere = await startLoopbackServer(sendEvents(samples.text));
      const location = `${elsewhere.url}/v2/secret-path`;
      const { failure, message } = await ask(samples, sendStatus(307, "", { location }));
      expect(failure).toEqual({ kind: "invalid_request", status: 307 });
      expect(message.errorMessage).toContain(elsewhere.url);
      expect(message.errorMessage).not.toContain("secret-path");
      expect(elsewhere.requests).toEqual([]);
    });

    test.each([
      ["an error body", (echo: string) => sendStatus(401, samples.errorBody(401, `Bad key: ${echo}`))],
      ["a plain error text", (echo: string) => sendStatus(401, `Bad key: ${echo}`, {})],
      ["an error document", (echo: string) => sendStatus(200, samples.errorBody(401, `Bad key: ${echo}`))],
      [
        "an error inside the stream",
        (echo: string) => sendEvents(`data: ${samples.errorBody(401, `Bad key: ${echo}`)}\n\n`),
      ],
      ["data that is not JSON", (echo: string) => sendEvents(`data: Bad key: ${echo}\n\n`)],
    ])("secrets echoed in %s are not shown", async (_name, respond) => {
      const header = "tenant-secret-987654";
      await using server = await startLoopbackServer((response, request, socket) => {
        const sent = JSON.stringify(request.headers);
        expect(sent).toContain(KEY);
        return respond(`${KEY} ${header}`)(response, request, socket);
      });
      const answer = await readChecked(open(samples, server, { headers: { "x-tenant": header } }));
      expect(answer.message.errorMessage).toContain("Bad key: <secret> <secret>");
      expect(JSON.stringify(answer.events)).not.toContain(KEY);
      expect(JSON.stringify(answer.events)).not.toContain(header);
    });
  });
}
