import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerWebSocket, Subprocess } from "bun";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { BROWSER, closePages, openPage } from "../../../coding-agent/test/support/browser/browser.ts";
import { cleanEnvironment, program } from "../../../coding-agent/test/support/program.ts";
import { testWith } from "../../../coding-agent/test/support/system-tool.ts";

// Runs the core in a real browser, over a socket to the built program.

const browserTest = testWith(BROWSER);
afterAll(closePages);

const PAGE = `
import { RpcCore } from ${JSON.stringify(join(import.meta.dir, "../../src/core/index.ts"))};

const socket = new WebSocket(location.hash.slice(1));
socket.binaryType = "arraybuffer";
await new Promise((resolve) => socket.addEventListener("open", resolve));
const client = new RpcCore({ updateMode: "delta" });
await client.connect({
  write: (text) => socket.send(text),
  onData: (listener) => socket.addEventListener("message", ({ data }) => listener(new Uint8Array(data))),
  onClose: (listener) => socket.addEventListener("close", () => listener()),
});
await client.setCustomTools([{
  name: "place", description: "Where this runs", parameters: { type: "object" },
  execute: () => \`in \${document.title}\`,
}]);
const types = new Set();
const run = client.run("call place {}");
for await (const { type } of run) types.add(type);
const { text } = await run.result;
const waiting = client.bash("sleep 60").catch((error) => error.name);
socket.close();
window.outcome = { text, types: [...types], lost: await waiting };
document.documentElement.dataset.ready = "";
`;

type Bridge = ServerWebSocket<{ child?: Subprocess<"pipe", "pipe", "inherit"> }>;

/** Starts one program per socket, like a server in front of pintle would. */
function startBridge(home: string) {
  const ended: Promise<number>[] = [];
  const server = Bun.serve<{ child?: Subprocess<"pipe", "pipe", "inherit"> }>({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, self) => (self.upgrade(request, { data: {} }) ? undefined : new Response("no", { status: 400 })),
    websocket: {
      open(socket: Bridge) {
        const child = Bun.spawn([program, "--mode", "rpc", "--no-session", "--model", "pintle/offline"], {
          cwd: home,
          env: cleanEnvironment(home),
          stdin: "pipe",
          stdout: "pipe",
          stderr: "inherit",
        });
        socket.data.child = child;
        ended.push(child.exited);
        void (async () => {
          for await (const chunk of child.stdout) socket.send(chunk);
        })();
      },
      message(socket: Bridge, text) {
        socket.data.child?.stdin.write(text as string);
        void socket.data.child?.stdin.flush();
      },
      close: (socket: Bridge) => void socket.data.child?.stdin.end(),
    },
  });
  return { url: `ws://127.0.0.1:${server.port}/`, ended, [Symbol.dispose]: () => void server.stop(true) };
}

browserTest("a run, a tool of the page, and the end of the connection", async () => {
  using scratch = scratchDirectory();
  using bridge = startBridge(scratch.path);
  const entry = join(scratch.path, "page.js");
  writeFileSync(entry, PAGE);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", format: "esm" });
  const code = (await outputs[0]!.text()).replaceAll("</script", "<\\/script");
  expect(code).not.toMatch(/\bnode:|\brequire\(/);
  const path = join(scratch.path, "page.html");
  writeFileSync(path, `<!doctype html><title>the page</title><script type="module">${code}</script>`);
  const { page, troubles } = await openPage(path, { hash: `#${bridge.url}` });
  expect(troubles).toEqual([]);
  const outcome = await page.evaluate("outcome");
  expect(outcome).toEqual({
    text: expect.stringContaining("in the page"),
    types: expect.arrayContaining(["agent_start", "message_update", "tool_execution_end", "agent_end"]),
    lost: "RpcClosedError",
  });
  expect(await Promise.all(bridge.ended)).toEqual([0]);
});
