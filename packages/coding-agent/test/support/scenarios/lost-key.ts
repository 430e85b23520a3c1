import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RpcChild, type RpcPlace, startRpc } from "./rpc-child.ts";

/** A session with an OpenAI model whose key is removed from auth.json after the start. */
export async function startWithLostKey(args: readonly string[], place: RpcPlace): Promise<RpcChild> {
  const file = join(place.env.PINTLE_HOME as string, "auth.json");
  writeFileSync(file, JSON.stringify({ openai: { type: "api_key", key: "k" } }), { mode: 0o600 });
  const rpc = await startRpc(args, place);
  await rpc.call("get_state"); // pi's dialect has no ready frame
  rmSync(file);
  return rpc;
}
