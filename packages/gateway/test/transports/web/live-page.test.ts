import { expect, test } from "bun:test";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { type LivePage, pageAnswer, pageFileAnswer } from "../../../src/transports/web/live-page.ts";

const HTML = "<!doctype html><title>pintle</title>";
const page: LivePage = {
  brotli: Uint8Array.from(brotliCompressSync(HTML)),
  gzip: Bun.gzipSync(HTML),
  etag: '"abc"',
  policy: "default-src 'none'",
  files: { "grammar/r.json": Bun.gzipSync("{}"), "view/a.js": Bun.gzipSync("1") },
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

test("scripts of the page are served as scripts", async () => {
  const script = pageFileAnswer(page, "view/a.js", new Headers());
  expect(script?.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(await script?.text()).toBe("1");
});

test("a file of the page is data, compressed if the browser accepts it, and sent once", async () => {
  const read = (headers: Record<string, string>, path = "grammar/r.json") =>
    pageFileAnswer(page, path, new Headers(headers));
  const [plain, compressed] = [read({}), read({ "accept-encoding": "gzip, br" })];
  expect(await plain?.text()).toBe("{}");
  expect(Object.fromEntries(plain?.headers ?? [])).toMatchObject({
    "content-type": "application/json",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(compressed?.headers.get("content-encoding")).toBe("gzip");
  expect(read({ "if-none-match": '"abc"' })?.status).toBe(304);
  for (const path of ["grammar/none.json", "grammar/", "toString"]) expect(read({}, path)).toBeUndefined();
});
