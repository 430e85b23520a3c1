import { UsageError } from "../cli/usage-error.ts";
import { run as serve } from "./serve.ts";
import type { CallOf } from "./subcommand-flags.ts";
import { openInBrowser } from "./web/open-in-browser.ts";

/** Runs `pintle web`: serves the sessions of a directory to a browser, until a signal arrives. */
export async function run({ flags: { open, ...flags }, words, env, ending }: CallOf<"web">): Promise<number> {
  if (words.length > 0) throw new UsageError("pintle web takes no arguments");
  const opened: { close(): void }[] = [];
  try {
    return await serve({
      words,
      env,
      ending,
      flags: { ...flags, web: true },
      isOwnPage: true,
      onListening: (address) => {
        if (open) opened.push(openInBrowser(address));
      },
    });
  } finally {
    for (const { close } of opened) close();
  }
}
