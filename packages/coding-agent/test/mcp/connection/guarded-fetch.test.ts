import { describe, expect, test } from "bun:test";
import { UnreachableError } from "../../../src/mcp/connection/failure-text.ts";
import { guardLogin } from "../../../src/mcp/connection/guarded-fetch.ts";

const ADDRESSES: Record<string, string[]> = {
  "mcp.example": ["203.0.113.5"],
  "login.example": ["203.0.113.6"],
  "inside.example": ["203.0.113.7", "10.0.0.7"],
  "own.lan": ["192.168.1.2"],
  "two.example": ["203.0.113.8", "2001:db8::8"],
  "mapped.example": ["::ffff:169.254.169.254"],
};

function guard(server: string, answer: (url: string) => Response = () => new Response("")) {
  const sent: { url: string; headers: string[]; host: string | null; name: unknown }[] = [];
  const resolved: string[] = [];
  const fetch = guardLogin({
    server,
    headers: ["X-Key"],
    async fetch(url, init) {
      const headers = new Headers(init?.headers);
      const { tls } = (init ?? {}) as { tls?: { serverName?: string } };
      const names = [...headers.keys()].filter((name) => name !== "host");
      sent.push({ url: String(url), headers: names, host: headers.get("host"), name: tls?.serverName });
      return answer(String(url));
    },
    resolve: async (host) => {
      resolved.push(host);
      return ADDRESSES[host] ?? [];
    },
  });
  return { fetch, sent, resolved };
}

describe("addresses that a server may use for a login", () => {
  test("sends the server's own headers to that server only", async () => {
    const { fetch, sent } = guard("https://mcp.example/mcp");
    const headers = { "x-key": "secret", accept: "json" };
    await fetch("https://mcp.example/mcp", { headers });
    await fetch("https://login.example/token", { headers });
    expect(sent.map((request) => request.headers)).toEqual([["accept", "x-key"], ["accept"]]);
  });

  test.each([
    "https://127.0.0.1/token",
    "https://[::1]/token",
    "https://169.254.169.254/latest",
    "https://localhost/token",
    "https://inside.example/token",
    "https://[fd00::1]/token",
    "https://[::ffff:10.0.0.1]/token",
    "https://mapped.example/token",
    "http://login.example/token",
  ])("a server on the internet cannot name %s", async (url) => {
    const { fetch, sent } = guard("https://mcp.example/mcp");
    await expect(fetch(url)).rejects.toThrow(/private network|not over https/);
    expect(sent).toEqual([]);
  });

  test("sends the request to the address that was checked, with the name in Host and certificate", async () => {
    const { fetch, sent, resolved } = guard("https://mcp.example/mcp");
    await fetch("https://login.example:8443/token?a=b");
    expect(sent).toEqual([
      { url: "https://203.0.113.6:8443/token?a=b", headers: [], host: "login.example:8443", name: "login.example" },
    ]);
    expect(resolved).toEqual(["mcp.example", "login.example"]);
  });

  test("tries another address of the host when one is unreachable", async () => {
    const { fetch, sent } = guard("https://mcp.example/mcp", (url) => {
      if (url.includes("203.0.113.8")) throw new UnreachableError("connection refused");
      return new Response("");
    });
    await fetch("https://two.example/token");
    expect(sent.map(({ url }) => url)).toEqual(["https://203.0.113.8/token", "https://[2001:db8::8]/token"]);
  });

  test("checks a redirect like the first address, and does not forward the code", async () => {
    const redirect = (to: string) => (url: string) =>
      url.includes("/start") ? new Response("", { status: 302, headers: { location: to } }) : new Response("");
    const inward = guard("https://mcp.example/mcp", redirect("https://inside.example/latest"));
    await expect(inward.fetch("https://login.example/start")).rejects.toThrow("private network");
    const plain = guard("https://mcp.example/mcp", redirect("http://169.254.169.254/latest"));
    await expect(plain.fetch("https://login.example/start")).rejects.toThrow("not over https");
    const outward = guard("https://mcp.example/mcp", redirect("/next"));
    await outward.fetch("https://login.example/start");
    expect(outward.sent.map(({ url }) => url)).toEqual(["https://203.0.113.6/start", "https://203.0.113.6/next"]);
    const post = await outward.fetch("https://login.example/start", { method: "POST", body: "code=1" });
    expect([post.status, outward.sent.length]).toEqual([302, 3]);
  });

  test.each(["http://own.lan/mcp", "http://127.0.0.1:3000/mcp"])(
    "a server on the local network (%s) can name a local address",
    async (server) => {
      const { fetch, sent } = guard(server);
      await fetch("http://127.0.0.1:9000/token");
      expect(sent).toHaveLength(1);
    },
  );
});
