import { describe, expect, test } from "bun:test";
import { proxyFor } from "../../src/gateway/proxy.ts";

const A = "http://a.test:3128/";
const B = "http://b.test:8080/";

function chosen(address: string, env: Record<string, string>): string | undefined {
  const found = proxyFor(new URL(address), env);
  return found && `${found.url.href} ${found.variable}`;
}

describe("the proxy of an address", () => {
  test.each<[address: string, env: Record<string, string>, expected: string | undefined]>([
    ["http://x.test", {}, undefined],
    ["http://x.test", { HTTP_PROXY: A }, `${A} HTTP_PROXY`],
    ["https://x.test", { HTTP_PROXY: A }, undefined],
    ["https://x.test", { HTTP_PROXY: A, HTTPS_PROXY: B }, `${B} HTTPS_PROXY`],
    ["https://x.test", { HTTPS_PROXY: A, https_proxy: B }, `${B} https_proxy`],
    ["https://x.test", { HTTPS_PROXY: "", ALL_PROXY: B }, `${B} ALL_PROXY`],
    ["http://x.test", { HTTP_PROXY: "a.test:3128" }, `${A} HTTP_PROXY`],
    ["http://localhost:7777", { HTTP_PROXY: A }, undefined],
    ["http://app.localhost", { HTTP_PROXY: A }, undefined],
    ["http://127.1.2.3", { HTTP_PROXY: A }, undefined],
    ["http://[::1]:7777", { HTTP_PROXY: A }, undefined],
  ])("%s with %j: %p", (address, env, expected) => expect(chosen(address, env)).toBe(expected));

  test.each<[list: string, excludes: readonly string[], others: readonly string[]]>([
    ["*", ["http://x.test"], []],
    ["x.test", ["http://x.test", "http://a.x.test", "http://X.TEST:81"], ["http://yx.test", "http://x.test.org"]],
    [".x.test", ["http://x.test", "http://a.x.test"], ["http://yx.test"]],
    ["*.x.test", ["http://a.x.test"], ["http://yx.test"]],
    ["a.test, x.test:81", ["http://a.test", "http://x.test:81"], ["http://x.test", "https://x.test"]],
    ["x.test:80 y.test:443", ["http://x.test", "https://y.test"], ["https://x.test"]],
    ["10.0.0.1", ["http://10.0.0.1:9"], ["http://10.0.0.10", "http://110.0.0.1"]],
    ["fd00::1 [fd00::2]:81", ["http://[fd00::1]", "http://[fd00::2]:81"], ["http://[fd00::2]", "http://[fd00::3]"]],
    [" , ,", [], ["http://x.test"]],
  ])("NO_PROXY=%j", (list, excludes, others) => {
    const env = { HTTP_PROXY: A, HTTPS_PROXY: A, NO_PROXY: list };
    expect(excludes.filter((address) => chosen(address, env) !== undefined)).toEqual([]);
    expect(others.filter((address) => chosen(address, env) === undefined)).toEqual([]);
  });

  test.each(["socks5://a.test:1080", "http://", "a b"])("%s is refused, without its password", (text) => {
    expect(() => chosen("http://x.test", { HTTP_PROXY: text })).toThrow(
      "HTTP_PROXY is not the address of an HTTP proxy, such as http://host:port. Correct it, or add x.test to NO_PROXY",
    );
  });
});
