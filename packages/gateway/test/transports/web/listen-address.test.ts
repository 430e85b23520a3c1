import { expect, test } from "bun:test";
import { isLoopback, parseListenAddress } from "../../../src/transports/web/listen-address.ts";

test.each([
  ["127.0.0.1:8080", { hostname: "127.0.0.1", port: 8080 }, true],
  ["127.0.0.1", { hostname: "127.0.0.1", port: 0 }, true],
  ["8080", { hostname: "127.0.0.1", port: 8080 }, true],
  [":8080", { hostname: "127.0.0.1", port: 8080 }, true],
  ["localhost:0", { hostname: "localhost", port: 0 }, true],
  ["[::1]:8080", { hostname: "::1", port: 8080 }, true],
  ["[::]:8080", { hostname: "::", port: 8080 }, false],
  ["0.0.0.0:8080", { hostname: "0.0.0.0", port: 8080 }, false],
  ["app.example:443", { hostname: "app.example", port: 443 }, false],
])("%s", (text, address, expected) => {
  expect(parseListenAddress(text)).toEqual(address);
  expect(isLoopback(address)).toBe(expected);
});

test.each(["", "a:b", "127.0.0.1:99999", "http://127.0.0.1:1", "::1", "127.0.0.1:"])("%p is refused", (text) => {
  expect(() => parseListenAddress(text)).toThrow("--listen takes HOST:PORT");
});
