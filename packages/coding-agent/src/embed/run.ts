import { onceWith } from "@pintle/client/core";
import { InProcessClient, type InProcessOptions } from "./in-process-client.ts";

/** Like `run` and `query` of `@pintle/client`, with a session in this process. */
export const { run, query } = onceWith((options: InProcessOptions) => new InProcessClient(options));
