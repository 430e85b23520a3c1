// Ask once, print the answer: node examples/minimal.mjs "what files are here"
import { RpcClient } from "@pintle/client";

// The offline model needs no key and no network; leave `model` out to use your own.
const client = new RpcClient({ model: "pintle/offline", args: ["--no-session"] });
await client.start();
try {
  const { text } = await client.promptAndWait(process.argv[2] ?? "what files are here");
  console.log(text);
} finally {
  await client.stop();
}
