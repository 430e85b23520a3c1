import type { CacheRetention } from "@pintle/ai";
import type { Environment } from "../keys/environment.ts";

const RETENTIONS: readonly CacheRetention[] = ["none", "short", "long"];

/** How long providers are asked to keep a prompt, as the user's environment says. undefined: their usual time. */
export function cacheRetention(env: Environment): CacheRetention | undefined {
  const word = env.PINTLE_CACHE_RETENTION || env.PI_CACHE_RETENTION;
  return RETENTIONS.find((retention) => retention === word);
}
