// A server as a child process, written without a library that would inspect its messages: it lists the tools of the
// JSON file on its command line unchanged, and answers each call with its name and arguments.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const listed = process.argv[2] as string;

const ANSWERS: Record<string, (params: Record<string, unknown>) => object> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "listing", version: "1" },
  }),
  "tools/list": () => ({ tools: JSON.parse(readFileSync(listed, "utf8")) }),
  "tools/call": ({ name, arguments: args }) => ({
    content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }],
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = ANSWERS[method];
  if (id === undefined) return;
  const outcome = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: "not known" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
});
