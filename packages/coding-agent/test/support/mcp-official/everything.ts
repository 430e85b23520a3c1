import { createServer } from "node:net";
import { official } from "./installed.ts";

const PROGRAM = official("@modelcontextprotocol/server-everything/dist/index.js");

export interface StartedServer extends AsyncDisposable {
  /** A user's entry in mcp.json. */
  definition: object;
}

/** The server "everything", with the entry for each of its transports. */
export const EVERYTHING: Readonly<Record<string, () => Promise<StartedServer>>> = {
  stdio: async () => ({
    definition: { command: "node", args: [PROGRAM, "stdio"] },
    [Symbol.asyncDispose]: async () => {},
  }),
  "streamable HTTP": () => listening("streamableHttp", (port) => ({ url: `http://127.0.0.1:${port}/mcp` })),
  SSE: () => listening("sse", (port) => ({ type: "sse", url: `http://127.0.0.1:${port}/sse` })),
  "SSE that is found out": () => listening("sse", (port) => ({ url: `http://127.0.0.1:${port}/sse` })),
};

async function listening(transport: string, define: (port: number) => object): Promise<StartedServer> {
  const port = await freePort();
  const env = { PATH: process.env.PATH ?? "", PORT: String(port) };
  const child = Bun.spawn(["node", PROGRAM, transport], { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const reader = child.stderr.getReader();
  for (let said = ""; !said.includes(` port ${port}`); ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the server has ended: ${said}`);
    said += new TextDecoder().decode(value);
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    definition: define(port),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      await drained;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
