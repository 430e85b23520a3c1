import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { program } from "../../coding-agent/test/support/program.ts";
import {
  type ChatPlace,
  callsTools,
  chatPlace,
  heldAnswer,
  says,
} from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { count, isReady, KEYS, TerminalRun } from "./support/terminal-run.ts";

const CTRL_S = "\u0013";

interface Place {
  chat: ChatPlace;
  socket: string;
}

/** A gateway that listens on its own socket, for sessions with the environment's model. */
async function serve({ chat, socket }: Place, ...more: string[]): Promise<Bun.Subprocess> {
  const { cwd, env } = chat.place;
  const set = ["--set", "defaultModel=m", "--set", "defaultProvider=local"];
  const server = Bun.spawn([program, "serve", "--socket", socket, ...set, ...more], {
    cwd,
    env,
    stdout: "ignore",
    stderr: "pipe",
  });
  await server.stderr.getReader().read(); // it says where it listens
  return server;
}

function placeOf(chat: ChatPlace): Place {
  const directory = join(chat.place.cwd, "run");
  mkdirSync(directory);
  chmodSync(directory, 0o700);
  return { chat, socket: join(directory, "s") };
}

test("uses a gateway's session like a local one, and another terminal can join it", async () => {
  await using chat = await chatPlace(says("From the server."), says("Again."));
  const place = placeOf(chat);
  const server = await serve(place);
  try {
    await using run = new TerminalRun(["--attach", place.socket, "hello"], chat.place);
    await run.sees("From the server.");
    const { stdout } = Bun.spawnSync([program, "sessions", "--json"], chat.place);
    const [{ id }] = JSON.parse(stdout.toString());
    await using other = new TerminalRun(["--attach", place.socket, "--session", id], chat.place);
    await other.sees("❯ hello");
    await other.sees("From the server.");
    other.type(`more${KEYS.enter}`);
    await run.sees("❯ more");
    await run.sees("Again.");
    expect(run.screen.lines().filter((line) => line === "Again.")).toHaveLength(1);
  } finally {
    server.kill();
    await server.exited;
  }
});

test("opens and lists other sessions of a gateway; the previous ones keep running", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond, says("In the second."));
  const place = placeOf(chat);
  const server = await serve(place);
  try {
    await using run = new TerminalRun(["--attach", place.socket, "the first prompt"], chat.place);
    await held.asked;
    held.write("begun ");
    await run.sees("begun");
    run.type(`/new${KEYS.enter}`);
    await run.sees("another session");
    await isReady(run);
    run.type(`the second prompt${KEYS.enter}`);
    await run.sees("In the second.");
    held.write("and ended");
    held.finish();
    run.type(CTRL_S);
    await run.sees("search:");
    run.type("first");
    await run.until((screen) => screen.screen().some((line) => line.includes("→ the first prompt")), "the list");
    run.type(KEYS.enter);
    await run.sees("begun and ended");
    run.type(`again${KEYS.enter}`);
    await run.sees("❯ again");
    expect(count(run.screen, "── another session ──")).toBe(2);
  } finally {
    server.kill();
    await server.exited;
  }
});

test("shows an answer from its beginning, once, when a running session is opened", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  const place = placeOf(chat);
  const server = await serve(place);
  try {
    await using run = new TerminalRun(["--attach", place.socket, "the prompt"], chat.place);
    await held.asked;
    held.write("The beginning ");
    await run.sees("The beginning");
    const { stdout } = Bun.spawnSync([program, "sessions", "--json"], chat.place);
    const [{ id }] = JSON.parse(stdout.toString());
    await using other = new TerminalRun(["--attach", place.socket, "--session", id], chat.place);
    await other.sees("❯ the prompt");
    await other.until((screen) => screen.screen().some((row) => row.endsWith("escape stops")), "that it is at work");
    held.write("the middle ");
    await other.sees("The beginning the middle");
    held.write("the end.");
    held.finish();
    await other.sees("The beginning the middle the end.");
    expect(other.screen.lines().filter((line) => line.includes("the middle"))).toHaveLength(1);
  } finally {
    server.kill();
    await server.exited;
  }
});

test("a running call continues when its session is opened elsewhere, and shows its result", async () => {
  const command = "printf 'it %s\\n' begins; until [ -e go ]; do sleep 0.05; done; printf 'it %s\\n' ends";
  await using chat = await chatPlace(callsTools({ name: "bash", args: { command } }), says("Done."));
  const place = placeOf(chat);
  const server = await serve(place, "--set", "permissions.mode=full");
  try {
    await using run = new TerminalRun(["--attach", place.socket, "the prompt"], chat.place);
    await run.sees("it begins");
    const { stdout } = Bun.spawnSync([program, "sessions", "--json"], chat.place);
    const [{ id }] = JSON.parse(stdout.toString());
    await using other = new TerminalRun(["--attach", place.socket, "--session", id], chat.place);
    await other.sees("❯ the prompt");
    await other.until((screen) => screen.screen().some((row) => row.endsWith("escape stops")), "that it is at work");
    writeFileSync(join(chat.place.cwd, "go"), "");
    await other.sees("Done.");
    expect(count(other.screen, "it ends")).toBe(1);
    expect(other.screen.lines().join("\n")).not.toContain("not run");
    expect(other.screen.lines().filter((line) => line.includes("✓ bash"))).toHaveLength(1);
  } finally {
    server.kill();
    await server.exited;
  }
});

/** A connection to a server that can be cut while both ends stay alive. */
async function proxyTo(socket: string): Promise<{ socket: string; cut(): void } & AsyncDisposable> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(socket);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(end);
      end.on("error", () => {}); // it is cut
      end.on("close", () => other.destroy());
      end.pipe(other);
    }
  });
  const proxy = `${socket}p`;
  await new Promise<void>((resolve) => server.listen(proxy, resolve));
  const cut = () => {
    for (const end of open) end.destroy();
    open.clear();
  };
  return {
    socket: proxy,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a call that was running when the connection was lost shows its result after the reconnect", async () => {
  const command = "printf 'it %s\\n' begins; until [ -e go ]; do sleep 0.05; done; printf 'it %s\\n' ends";
  await using chat = await chatPlace(callsTools({ name: "bash", args: { command } }), says("Done."));
  const place = placeOf(chat);
  const server = await serve(place, "--set", "permissions.mode=full");
  await using proxy = await proxyTo(place.socket);
  try {
    await using run = new TerminalRun(["--attach", proxy.socket, "the prompt"], chat.place);
    await run.sees("it begins");
    proxy.cut();
    await run.sees("The connection is lost");
    await run.sees("The session continues.");
    writeFileSync(join(chat.place.cwd, "go"), "");
    await run.sees("Done.");
    expect(count(run.screen, "it ends")).toBe(1);
    expect(run.screen.lines().filter((line) => line.includes("✓ bash printf"))).toHaveLength(1);
  } finally {
    server.kill();
    await server.exited;
  }
});

test("reports a directory that the server does not serve, and uses the server's own", async () => {
  await using chat = await chatPlace(says("From elsewhere."));
  const place = placeOf(chat);
  const server = await serve(place);
  try {
    await using run = new TerminalRun(["--attach", place.socket, "hello"], { ...chat.place, cwd: "/" });
    await run.sees("is not a directory inside the roots");
    await run.sees("From elsewhere.");
    expect(count(run.screen, "❯ hello")).toBe(1);
  } finally {
    server.kill();
    await server.exited;
  }
});

test("reports a lost gateway, and the session continues when it is back", async () => {
  await using chat = await chatPlace(says("Before."), says("After."));
  const place = placeOf(chat);
  let server = await serve(place);
  try {
    await using run = new TerminalRun(["--attach", place.socket, "one"], chat.place);
    await run.sees("Before.");
    await isReady(run);
    server.kill("SIGKILL");
    await server.exited;
    await run.sees("The connection is lost");
    expect(run.screen.lines().join("\n")).not.toContain("The session continues.");
    server = await serve(place);
    await run.sees("The session continues.");
    run.type(`two${KEYS.enter}`);
    await run.sees("After.");
    expect(run.screen.lines().filter((line) => line === "Before.")).toHaveLength(1);
  } finally {
    server.kill();
    await server.exited;
  }
});
