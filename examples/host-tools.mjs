// A host tool: the model calls it, this program runs it.
import { RpcClient } from "@pintle/client";

const stock = new Map([
  ["apple", 12],
  ["pear", 0],
]);

const inventory = {
  name: "inventory",
  description: "How many pieces of an article are in stock",
  parameters: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
  async execute({ article }, { signal, sendUpdate }) {
    sendUpdate(`looking for ${article}`); // seen as tool_execution_update
    signal.throwIfAborted(); // pass it on to slow operations
    if (!stock.has(article)) throw new Error(`There is no article ${article}`); // the model reads that as an error
    return `${stock.get(article)} pieces`;
  },
};

const client = new RpcClient({ model: "pintle/offline", args: ["--no-session"], customTools: [inventory] });
await client.start();
try {
  // The offline model needs explicit instructions; a real one decides by itself.
  for (const article of ["apple", "plum"]) {
    const { text } = await client.promptAndWait(`call inventory {"article":"${article}"}`);
    console.log(`${article}: ${text}`);
  }
} finally {
  await client.stop();
}
