import { expect, test } from "bun:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { type LivePage, pageAnswer } from "../../../src/transports/web/live-page.ts";

const HTML = "<!doctype html><title>pintle</title>";
const page: LivePage = {
  brotli: Uint8Array.from(brotliCompressSync(HTML)),
  gzip: Bun.gzipSync(HTML),
  etag: '"abc"',
  policy: "default-src 'none'",
};
const ask = (headers: Record<string, string>) => pageAnswer(page, new Headers(headers));

const readers = {
  br: async (answer: Response) => brotliDecompressSync(await answer.arrayBuffer()).toString(),
  gzip: async (answer: Response) => new TextDecoder().decode(Bun.gunzipSync(await answer.arrayBuffer())),
  none: (answer: Response) => answer.text(),
};

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["gzip, deflate", "gzip"],
  ["br;q=0, gzip;q=0.5", "gzip"],
  ["identity", "none"],
  ["", "none"],
] as const)("a browser that accepts %p gets the page in %s", async (accepted, encoding) => {
  const answer = ask({ "accept-encoding": accepted });
  expect(answer.headers.get("content-encoding") ?? "none").toBe(encoding);
  expect(await readers[encoding](answer)).toBe(HTML);
});

test("the page is guarded by its headers, and sent once", () => {
  const { status, headers } = ask({});
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-cache",
    etag: '"abc"',
  });
  const again = ask({ "if-none-match": '"abc"' });
  expect([again.status, again.body]).toEqual([304, null]);
  expect(ask({ "if-none-match": '"other"' }).status).toBe(200);
});
