// What a user interface needs: text as it arrives, tools as they run, Ctrl-C to abort.
// node examples/streaming-ui.mjs "list then run echo hello"
import { RpcClient } from "@pintle/client";

// Delta mode transfers only what is new; `message` is still the whole message so far.
const client = new RpcClient({ model: "pintle/offline", args: ["--no-session"], updateMode: "delta" });
await client.start();

const controller = new AbortController();
process.once("SIGINT", () => controller.abort(new Error("aborted by the user")));

const show = {
  message_update: ({ assistantMessageEvent: step }) => {
    if (step.type === "text_delta") process.stdout.write(step.delta);
    if (step.type === "text_end") process.stdout.write("\n");
  },
  tool_execution_start: ({ toolName, args }) => console.log(`[${toolName} ${JSON.stringify(args)}]`),
  tool_execution_end: ({ toolName, isError }) => console.log(`[${toolName} ${isError ? "failed" : "done"}]`),
  auto_retry_start: ({ attempt, delayMs }) => console.log(`[attempt ${attempt} failed, next in ${delayMs} ms]`),
  notice: ({ message }) => console.log(`[${message}]`),
};

try {
  const run = client.run(process.argv[2] ?? "list then run echo hello", { signal: controller.signal });
  for await (const event of run) show[event.type]?.(event);
  const { stopReason, errorMessage } = await run.result;
  console.log(`(${errorMessage ?? stopReason})`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await client.stop();
}
