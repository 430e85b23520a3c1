import { describe, expect, test } from "bun:test";
import { guardLogin } from "../../../src/mcp/connection/guarded-fetch.ts";

const ADDRESSES: Record<string, string[]> = {
  "mcp.example": ["203.0.113.5"],
  "login.example": ["203.0.113.6"],
  "inside.example": ["203.0.113.7", "10.0.0.7"],
  "own.lan": ["192.168.1.2"],
};

function guard(server: string) {
  const sent: { url: string; headers: string[] }[] = [];
  const fetch = guardLogin({
    server,
    headers: ["X-Key"],
    async fetch(url, init) {
      sent.push({ url: String(url), headers: [...new Headers(init?.headers).keys()] });
      return new Response("");
    },
    resolve: async (host) => ADDRESSES[host] ?? [],
  });
  return { fetch, sent };
}

describe("where a server may send us for a login", () => {
  test("its own headers go to the server and nowhere else", async () => {
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
    "http://login.example/token",
  ])("a server of the wide world cannot name %s", async (url) => {
    const { fetch, sent } = guard("https://mcp.example/mcp");
    await expect(fetch(url)).rejects.toThrow(/private network|not over https/);
    expect(sent).toEqual([]);
  });

  test.each(["http://own.lan/mcp", "http://127.0.0.1:3000/mcp"])("one of the own network (%s) can", async (server) => {
    const { fetch, sent } = guard(server);
    await fetch("http://127.0.0.1:9000/token");
    expect(sent).toHaveLength(1);
  });
});
