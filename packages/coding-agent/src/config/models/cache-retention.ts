import type { CacheRetention } from "@pintle/ai";
import type { Environment } from "../keys/environment.ts";

const RETENTIONS: readonly CacheRetention[] = ["none", "short", "long"];

/** Returns how long providers should keep a prompt, according to the user's environment, or undefined for their default. */
export function cacheRetention(env: Environment): CacheRetention | undefined {
  const word = env.PINTLE_CACHE_RETENTION || env.PI_CACHE_RETENTION;
  return RETENTIONS.find((retention) => retention === word);
}
