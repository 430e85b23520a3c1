import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AllowList, isWithin, readAllowedPlace } from "../../src/network/allow-list.ts";
import { readHost } from "../../src/network/network-host.ts";

describe("an entry of the list", () => {
  test.each([
    ["example.com", { host: "example.com", isForSubdomains: false, ports: [80, 443] }],
    ["EXAMPLE.com.", { host: "example.com", isForSubdomains: false, ports: [80, 443] }],
    ["*.example.com", { host: "example.com", isForSubdomains: true, ports: [80, 443] }],
    ["*.example.com:8443", { host: "example.com", isForSubdomains: true, ports: [8443] }],
    ["bücher.example", { host: "xn--bcher-kva.example", isForSubdomains: false, ports: [80, 443] }],
    ["10.0.0.5:8080", { host: "10.0.0.5", isForSubdomains: false, ports: [8080] }],
    ["[2001:DB8::0:1]:443", { host: "2001:db8::1", isForSubdomains: false, ports: [443] }],
    ["[::ffff:10.0.0.5]", { host: "10.0.0.5", isForSubdomains: false, ports: [80, 443] }],
  ])("%s is read", (text, place) => {
    expect(readAllowedPlace(text)).toEqual(place);
  });

  test.each([
    "",
    "*",
    "*.",
    "*.*.example.com",
    "a.*.example.com",
    "*example.com",
    "*.10.0.0.5",
    "https://example.com",
    "example.com/path",
    "user@example.com",
    "example.com:",
    "example.com:0",
    "example.com:65536",
    "example.com:443:443",
    "example.com:*",
    " example.com",
    "exa mple.com",
    "example..com",
    "-example.com",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "10.0.0.256",
    "::1",
    "[::1%lo]",
    "[::1",
    "10.0.0.0/8",
    "example.com\n",
    "example.com\0",
  ])("%j is refused", (text) => {
    expect(readAllowedPlace(text)).toBeUndefined();
  });
});

describe("the list", () => {
  const list = new AllowList(["example.com", "*.example.org", "10.0.0.5:8080", "[2001:db8::1]"]);

  test.each([
    ["example.com", 443, true],
    ["example.com", 80, true],
    ["example.com", 22, false],
    ["www.example.com", 443, false],
    ["example.com.evil.example", 443, false],
    ["evilexample.com", 443, false],
    ["example.org", 443, false],
    ["a.example.org", 443, true],
    ["a.b.example.org", 443, true],
    [".example.org", 443, true], // never asked: not a host
    ["evilexample.org", 443, false],
    ["10.0.0.5", 8080, true],
    ["10.0.0.5", 443, false],
    ["2001:db8::1", 443, true],
  ])("%s on port %d: %p", (host, port, isPermitted) => {
    expect(list.permits(host, port)).toBe(isPermitted);
  });

  test("refuses an entry that cannot be read", () => {
    expect(() => new AllowList(["*"])).toThrow('not a host that commands can be limited to: "*"');
  });
});

test.each([
  ["off", "off", true],
  ["off", ["example.com"], true],
  ["on", "on", true],
  ["on", "off", false],
  ["on", ["example.com"], false],
  [["example.com"], "on", true],
  [["example.com"], "off", false],
  [[], [], true],
  [["example.com"], ["example.com", "example.org"], true],
  [["example.com:443"], ["example.com"], true],
  [["example.com:8443"], ["example.com"], false],
  [["example.com"], ["example.com:443"], false],
  [["example.com"], ["example.com:443", "example.com:80"], true],
  [["a.example.com"], ["*.example.com"], true],
  [["*.a.example.com"], ["*.example.com"], true],
  [["*.example.com"], ["*.example.com"], true],
  [["*.example.com"], ["example.com"], false],
  [["example.com"], ["*.example.com"], false],
  [["*.com"], ["*.example.com"], false],
  [["10.0.0.5"], ["10.0.0.5"], true],
  [undefined, ["example.com"], false],
] as const)("%j is within %j: %p", (asked, given, isInside) => {
  expect(isWithin(asked, given)).toBe(isInside);
});

describe("a host as a client names it", () => {
  test.each([
    "127.1",
    "127.0.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "1.2.3.4.5",
    "1.2.3",
    "a.0x1",
    "a.1",
    "",
    ".",
    "a b",
    "a/b",
    "a%2eb",
    "exam\u0000ple",
    "ⓔxample.com",
  ])("%j is neither a name nor an address", (text) => {
    expect(readHost(text)).toBeUndefined();
  });

  test("every spelling of an address becomes one", () => {
    const spellings = ["::ffff:127.0.0.1", "[::ffff:7f00:1]", "0:0:0:0:0:ffff:7f00:0001", "127.0.0.1"];
    expect(spellings.map((text) => readHost(text)?.text)).toEqual(spellings.map(() => "127.0.0.1"));
  });

  test("reading is idempotent, and accepts only characters that need no quoting anywhere", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.domain(), fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[a-fA-F0-9.:[\]%-]{1,30}$/)),
        (text) => {
          const host = readHost(text);
          if (!host) return;
          expect(host.text).toMatch(/^[a-z0-9._:-]+$/);
          expect(readHost(host.text)).toEqual(host);
        },
      ),
    );
  });
});
