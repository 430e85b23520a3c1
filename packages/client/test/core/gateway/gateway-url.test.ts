import { expect, test } from "bun:test";
import { gatewayUrl } from "../../../src/core/gateway/gateway-url.ts";

test.each([
  ["http://127.0.0.1:7/#token=a%2Fb", undefined, { url: "ws://127.0.0.1:7/ws", token: "a/b" }],
  ["https://x.test", "t", { url: "wss://x.test/ws", token: "t" }],
  ["wss://x.test/path?a=1", undefined, { url: "wss://x.test/path?a=1" }],
] as const)("%s", (text, token, expected) => expect(gatewayUrl(text, token)).toEqual(expected));

test.each(["x.test:80", "", "ftp://x.test/#token=secret", "pintle.sock"])(
  "%p is refused without showing a token",
  (text) => {
    expect(() => gatewayUrl(text)).toThrow(
      `"${text.replace("#token=secret", "")}" is not the URL of a gateway. Pass the address that \`pintle serve\` prints, or ws://host:port/ws`,
    );
  },
);
