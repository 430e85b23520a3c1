import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startLoginServer } from "../../coding-agent/test/support/mcp/login-server.ts";
import {
  CHAT,
  type ChatPlace,
  callsTools,
  chatPlace,
  says,
} from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { waitForRedirect } from "../src/login/redirect-listener.ts";
import { KEYS, TerminalRun } from "./support/terminal-run.ts";

// A real MCP server that requires a login, with its authorization server, on loopback.

const CALL = callsTools({ name: "mcp__web__echo", args: { text: "hi" } });
const ARGS = [...CHAT, "--permissions", "full"];

function nameServer({ place }: ChatPlace, url: string): void {
  writeFileSync(join(place.env.PINTLE_HOME ?? "", "mcp.json"), JSON.stringify({ mcpServers: { web: { url } } }));
}

/** A program that opens addresses, as on a desktop; this one records them. */
function fakeOpener({ place }: ChatPlace): { env: Record<string, string>; opened(): string } {
  const directory = join(place.cwd, "bin");
  mkdirSync(directory);
  const file = join(directory, "opened");
  writeFileSync(
    join(directory, "xdg-open"),
    `#!/bin/sh\nprintf %s "$1" > "${file}.part" && mv "${file}.part" "${file}"\n`,
  );
  chmodSync(join(directory, "xdg-open"), 0o755);
  const env = { PATH: `${directory}:${process.env.PATH}`, DISPLAY: ":0" };
  return { env, opened: () => readFileSync(file, "utf8") };
}

async function eventually<T>(read: () => T): Promise<T> {
  for (;;) {
    try {
      return read();
    } catch {
      await Bun.sleep(20);
    }
  }
}

/** The login URL as shown on the screen, however it is wrapped. */
function shownAddress(run: TerminalRun): string {
  const rows = run.screen.screen();
  const first = rows.findIndex((row) => row.startsWith("http"));
  const last = rows.findIndex((row, index) => index > first && !/^[\w%&=.:/?~+-]+$/.test(row));
  return rows.slice(first, last).join("");
}

describe("an MCP server that wants a login", () => {
  test("opens the browser, receives the redirect on this machine, and loads the tools", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(CALL, says("Used."));
    nameServer(chat, server.http.url);
    const { env, opened } = fakeOpener(chat);
    await using run = new TerminalRun(ARGS, chat.place, { env });
    await run.focuses("web asks you to log in");
    run.type(`${KEYS.down}${KEYS.enter}`);
    const address = await eventually(opened);
    expect(address).toStartWith(new URL("/authorize", server.http.url).href);
    await fetch(address); // acts as the browser of a user who agrees, which is redirected
    await run.sees("The login at web is complete.");
    run.type(`go${KEYS.enter}`);
    await run.sees("echo: hi");
    await run.sees("Used.");
  });

  test("over ssh the user pastes the address of the redirect", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace(CALL, says("Used."));
    nameServer(chat, server.http.url);
    await using run = new TerminalRun(ARGS, chat.place, { env: { DISPLAY: "", WAYLAND_DISPLAY: "", BROWSER: "" } });
    await run.focuses("paste the address");
    expect(run.screen.lines().join("\n")).not.toContain("open it in the browser");
    const sent = await fetch(shownAddress(run), { redirect: "manual" });
    run.type(KEYS.down + KEYS.down + KEYS.enter);
    await run.sees("Address to which the browser was redirected");
    run.type(`\u001b[200~${sent.headers.get("location")}\u001b[201~${KEYS.enter}`);
    await run.sees("The login at web is complete.");
    run.type(`go${KEYS.enter}`);
    await run.sees("echo: hi");
  });

  test("leaving a login cancels it, and /mcp asks again", async () => {
    await using server = await startLoginServer();
    await using chat = await chatPlace();
    nameServer(chat, server.http.url);
    await using run = new TerminalRun(ARGS, chat.place);
    await run.focuses("web asks you to log in");
    run.type(KEYS.escape);
    await run.sees("no one has logged in");
    run.type(`/mcp${KEYS.enter}`);
    await run.sees("web (http)");
    run.type(KEYS.enter);
    await run.until((screen) => screen.screen().some((line) => line.includes("web asks you to log in")));
    expect(server.asked.filter(({ path }) => path === "/token")).toEqual([]);
  });
});

describe("a session on another machine", () => {
  const login = (redirect: string) => new URL(`https://login.test/?redirect_uri=${encodeURIComponent(redirect)}`);
  const freePort = async () => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const { port } = server;
    await server.stop(true);
    return port;
  };

  test("waits for the browser on this machine", async () => {
    const place = `http://127.0.0.1:${await freePort()}/callback`;
    const came = waitForRedirect(login(place), new AbortController().signal);
    expect((await fetch(`${new URL(place).origin}/other`)).status).toBe(404);
    expect((await fetch(`${place}?code=1&state=2`)).status).toBe(200);
    expect(await came).toBe(`${place}?code=1&state=2`);
  });

  test("ignores requests without the state of this login", async () => {
    const place = `http://127.0.0.1:${await freePort()}/callback`;
    const address = login(place);
    address.searchParams.set("state", "mine");
    const came = waitForRedirect(address, new AbortController().signal);
    expect((await fetch(place)).status).toBe(404);
    expect((await fetch(`${place}?code=1&state=forged`)).status).toBe(404);
    expect((await fetch(`${place}?code=1&state=mine`)).status).toBe(200);
    expect(await came).toBe(`${place}?code=1&state=mine`);
  });

  test("does not wait if the port is taken, the login redirects elsewhere, or the question was withdrawn", async () => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const { signal } = new AbortController();
    const places = [`http://127.0.0.1:${server.port}/callback`, "https://example.test/callback", "nonsense"];
    expect(await Promise.all(places.map((place) => waitForRedirect(login(place), signal)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await server.stop(true);
    const place = `http://127.0.0.1:${await freePort()}/callback`;
    const closing = new AbortController();
    const came = waitForRedirect(login(place), closing.signal);
    closing.abort();
    expect(await came).toBeUndefined();
  });
});
