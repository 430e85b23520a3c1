// Measures what the provider's cache keeps when tools come late and when a conversation is compacted: the built program
// sends requests to a server on loopback that applies the rules of Anthropic's cache. Nothing is asserted.
import { startCachingAnthropic } from "../packages/ai/test/support/cache/caching-server.ts";
import * as anthropic from "../packages/ai/test/support/protocols/anthropic-messages/samples.ts";
import { type RpcChild, startRpc } from "../packages/coding-agent/test/support/scenarios/rpc-child.ts";
import { VENDOR, vendorPlaceOn } from "../packages/coding-agent/test/support/scenarios/vendor-place.ts";
import { printTable } from "./support/table.ts";

const PROMPT = "a prompt of some length ".repeat(200);
const says = anthropic.answer("end_turn", anthropic.textBlock(0, "an answer of some length ".repeat(40)));
const DEPLOY = {
  name: "deploy",
  description: "Deploys the project to an environment.",
  parameters: { type: "object", properties: { environment: { type: "string" } }, required: ["environment"] },
};

type Body = { tools: object[]; system: object[] };

/** Tools and system prompt as they are sent, without the cache marks, which move. */
function fixedPart({ tools, system }: Body): string {
  return JSON.stringify([tools, system], (key, value) => (key === "cache_control" ? undefined : value));
}

/**
 * Sends `before` prompts, then does the work, and reports how much of the request before the work the next request
 * reads from the cache.
 */
async function measure(name: string, before: number, flags: string[], work: (rpc: RpcChild) => Promise<unknown>) {
  const server = await startCachingAnthropic([says]);
  await using vendor = vendorPlaceOn(server);
  await using rpc = await startRpc([...VENDOR, "--thinking", "off", ...flags], vendor.place);
  for (let number = 1; number <= before; number += 1) await rpc.prompt(`${number}: ${PROMPT}`);
  const [known, requestBefore] = [server.readings.at(-1)!, server.requests.at(-1)!.body as Body];
  await work(rpc);
  await rpc.prompt("continue");
  const [next, requestAfter] = [server.readings.at(-1)!, server.requests.at(-1)!.body as Body];
  const isFixed = fixedPart(requestBefore) === fixedPart(requestAfter);
  const share = `${((100 * next.read) / known.total).toFixed(1)}%`;
  const fixed = `${Buffer.byteLength(fixedPart(requestAfter))} bytes, ${isFixed ? "the same" : "changed"}`;
  return [name, ...[known.total, next.total, next.read].map(String), share, fixed];
}

const addTool = (rpc: RpcChild) => rpc.call("set_host_tools", { tools: [DEPLOY] });
const rows = [["after", "tokens before", "tokens after", "read from cache", "of before", "tools and system prompt"]];
for (const mode of ["announce", "hold", "append"]) {
  for (const prompts of [1, 10]) {
    const name = `a late tool, ${mode}, ${prompts} ${prompts === 1 ? "prompt" : "prompts"}`;
    rows.push(await measure(name, prompts, ["--set", `cache.lateTools=${mode}`], addTool));
  }
}
rows.push(
  await measure("a compaction", 10, ["--set", "compaction.keepRecentTokens=2000"], (rpc) => rpc.call("compact")),
);
rows.push(
  await measure(
    "a compaction, a late tool announced",
    10,
    ["--set", "compaction.keepRecentTokens=2000"],
    async (rpc) => {
      await addTool(rpc);
      await rpc.prompt("use the tool");
      await rpc.call("compact");
    },
  ),
);
printTable(rows);
