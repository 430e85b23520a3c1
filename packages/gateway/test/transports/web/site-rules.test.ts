import { describe, expect, test } from "bun:test";
import { AllowedOrigins } from "../../../src/transports/web/allowed-origins.ts";
import { SiteRules } from "../../../src/transports/web/site-rules.ts";

const refusal = (headers: Record<string, string>, publicHosts: string[] = [], allowed: string[] = []) =>
  new SiteRules(publicHosts, new AllowedOrigins(allowed)).refusal(new Headers(headers)) ?? "allowed";

const HOST = "this server does not accept this Host header; add the name with --public-host";
const ORIGIN = "requests of other origins are refused";
const SITE = "requests of other sites are refused";

describe("which Host", () => {
  test.each([
    ["127.0.0.1:8080", "allowed"],
    ["127.1.2.3", "allowed"],
    ["localhost:1", "allowed"],
    ["LOCALHOST.", "allowed"],
    ["app.localhost:8080", "allowed"],
    ["[::1]:8080", "allowed"],
    ["evil.example", HOST],
    ["localhost.evil.example", HOST],
    ["127.0.0.1.evil.example", HOST],
    ["evil@127.0.0.1", HOST],
    ["127.0.0.1/x", HOST],
    ["127.0.0.1:8080:1", HOST],
    ["0.0.0.0:8080", HOST],
    ["[::ffff:127.0.0.1]", HOST],
    ["", HOST],
  ])("%s: %s", (host, expected) => {
    expect(refusal({ host })).toBe(expected);
  });

  test("none at all is refused", () => expect(refusal({})).toBe(HOST));

  test("a public one is named, with all its ports or with one", () => {
    expect(refusal({ host: "app.example:8443" }, ["app.example"])).toBe("allowed");
    expect(refusal({ host: "app.example:8443" }, ["app.example:443"])).toBe(HOST);
    expect(refusal({ host: "other.example" }, ["app.example"])).toBe(HOST);
    expect(() => new SiteRules(["https://app.example/"], new AllowedOrigins([]))).toThrow("--public-host");
  });
});

describe("which Origin", () => {
  const host = "127.0.0.1:8080";

  test.each([
    ["http://127.0.0.1:8080", "allowed"],
    ["http://127.0.0.1:3000", ORIGIN],
    ["http://localhost:8080", ORIGIN],
    ["http://evil.example", ORIGIN],
    ["http://127.0.0.1:8080.evil.example", ORIGIN],
    ["http://evil@127.0.0.1:8080", ORIGIN],
    ["null", ORIGIN],
    ["file://", ORIGIN],
    ["chrome-extension://abcdefghijklmnop", ORIGIN],
    ["moz-extension://127.0.0.1:8080", ORIGIN],
    ["", ORIGIN],
  ])("%s: %s", (origin, expected) => {
    expect(refusal({ host, origin })).toBe(expected);
  });

  test("standard ports may be left out", () => {
    expect(refusal({ host: "app.example:443", origin: "https://app.example" }, ["app.example"])).toBe("allowed");
    expect(refusal({ host: "app.example", origin: "https://app.example:8443" }, ["app.example"])).toBe(ORIGIN);
  });

  test("for a proxy that uses the server's own name, the public origin applies", () => {
    expect(refusal({ host, origin: "https://app.example" }, ["app.example"])).toBe("allowed");
    expect(refusal({ host, origin: "https://other.example" }, ["app.example"])).toBe(ORIGIN);
  });

  test("without an Origin, what the browser reports about the site decides", () => {
    expect(refusal({ host })).toBe("allowed");
    expect(refusal({ host, "sec-fetch-site": "none" })).toBe("allowed");
    expect(refusal({ host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "websocket" })).toBe(SITE);
    expect(refusal({ host, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" })).toBe(SITE);
    expect(refusal({ host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" })).toBe("allowed");
  });
});

describe("allowed origins", () => {
  const allowed = ["https://app.example.com", "http://localhost:*", "http://shop.example:8080"];
  test.each([
    ["https://app.example.com", "allowed"],
    ["https://app.example.com:8443", ORIGIN],
    ["http://app.example.com", ORIGIN],
    ["https://evil.app.example.com", ORIGIN],
    ["https://app.example.com.evil", ORIGIN],
    ["http://localhost:5173", "allowed"],
    ["http://localhost", "allowed"],
    ["https://localhost:5173", ORIGIN],
    ["http://shop.example:8080", "allowed"],
    ["http://shop.example", ORIGIN],
    ["null", ORIGIN],
  ])("%s: %s", (origin, expected) => {
    const headers = { host: "127.0.0.1:8080", origin, "sec-fetch-site": "cross-site" };
    expect(refusal(headers, [], allowed)).toBe(expected);
  });

  test("the Host is checked nevertheless", () => {
    expect(refusal({ host: "evil.example", origin: "https://app.example.com" }, [], allowed)).toBe(HOST);
  });

  test.each([
    "*",
    "https://*",
    "https://*.example.com",
    "https://a.example/",
    "https://a.example/x",
    "http://a.example:*",
    "ftp://a",
    "a.example",
    "",
    "null",
    "http://a:99999",
  ])("%j is no origin", (text) => expect(() => new AllowedOrigins([text])).toThrow(`--allow-origin ${text}: `));
});
