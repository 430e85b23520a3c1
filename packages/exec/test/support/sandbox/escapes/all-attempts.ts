import type { Attempt } from "./attempt.ts";
import { FILES } from "./files.ts";
import { KERNEL } from "./kernel.ts";
import { NETWORK } from "./network.ts";
import { PROCESSES } from "./processes.ts";
import { PROTECTED } from "./protected.ts";
import { SECRETS } from "./secrets.ts";

export const ALL_ATTEMPTS: Readonly<Record<string, readonly Attempt[]>> = {
  files: FILES,
  "protected parts": PROTECTED,
  secrets: SECRETS,
  network: NETWORK,
  processes: PROCESSES,
  kernel: KERNEL,
};
