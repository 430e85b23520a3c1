import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { BROWSER, closePages, openPage } from "../../../../coding-agent/test/support/browser/browser.ts";
import { cleanEnvironment, program } from "../../../../coding-agent/test/support/program.ts";
import { testWith } from "../../../../coding-agent/test/support/system-tool.ts";

// A page in a real browser talks to the built program's gateway, over connections that the test cuts.

const browserTest = testWith(BROWSER);
afterAll(closePages);

const SOURCE = `
import { Conversation, GatewayCore, webSocket } from ${JSON.stringify(join(import.meta.dir, "../../../src/core/index.ts"))};

// The token is in the URL fragment.
const gateway = new GatewayCore({ connect: webSocket({ url: location.href }), reconnect: { minMs: 5, maxMs: 50 } });
const states = [];
gateway.onState((state) => states.push(state));
await gateway.connect();
const session = await gateway.open({
  model: "pintle/offline",
  updateMode: "delta",
  customTools: [{
    name: "place", description: "Where this runs", parameters: { type: "object" },
    execute: () => \`in \${document.title}\`,
  }],
});
const conversation = await Conversation.follow(session);
const first = await session.promptAndWait("call place {}");
window.finish = async () => {
  const second = await session.promptAndWait("call place {}");
  return { first: first.text, second: second.text, states, messages: conversation.messages.length };
};
document.documentElement.dataset.ready = "";
`;

async function startServer(cwd: string) {
  const child = Bun.spawn([program, "serve", "--listen", "127.0.0.1:0"], {
    cwd,
    env: cleanEnvironment(cwd),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let text = "";
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  const url = new URL(/http:\S+/.exec(text)?.[0] ?? "");
  return { port: Number(url.port), hash: url.hash, child };
}

/** Sits in front of the server and also serves the page, so that the page's origin is the address it connects to. */
async function startRelay(port: number, html: () => string) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    near.on("error", () => {});
    near.once("data", (head) => {
      if (head.toString().startsWith("GET / ")) {
        near.end(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n${html()}`);
        return;
      }
      const far = connect(port, "127.0.0.1");
      far.on("error", () => {});
      sockets.add(near).add(far);
      far.write(head);
      near.pipe(far).pipe(near);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return { port: (server.address() as { port: number }).port, cut, close: () => server.close() };
}

browserTest("a session in a page goes on when the socket is killed", async () => {
  using scratch = scratchDirectory();
  const entry = join(scratch.path, "page.js");
  writeFileSync(entry, SOURCE);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", format: "esm" });
  const code = (await outputs[0]!.text()).replaceAll("</script", "<\\/script");
  const { port, hash, child } = await startServer(scratch.path);
  const html = `<!doctype html><link rel="icon" href="data:,"><title>the page</title><script type="module">${code}</script>`;
  const relay = await startRelay(port, () => html);
  try {
    const { page, troubles } = await openPage(`http://127.0.0.1:${relay.port}/`, { hash });
    relay.cut();
    const outcome = await page.evaluate("finish()");
    expect(outcome).toEqual({
      first: expect.stringContaining("in the page"),
      second: expect.stringContaining("in the page"),
      states: ["connected", "away", "connected"],
      messages: 8,
    });
    expect(troubles).toEqual([]);
    await page.close();
  } finally {
    relay.cut();
    relay.close();
    child.kill();
    await child.exited;
  }
});
