import { UsageError } from "../cli/usage-error.ts";
import { type ServeFlags, run as serve } from "./serve.ts";
import type { SubcommandCall } from "./subcommands.ts";
import { openInBrowser } from "./web/open-in-browser.ts";

interface WebCall extends Pick<SubcommandCall<never>, "words" | "env" | "ending"> {
  flags: Omit<ServeFlags, "web"> & { open?: true };
}

/** Runs `pintle web`: serves the sessions of a directory to a browser, until a signal arrives. */
export async function run({ flags: { open, ...flags }, words, env, ending }: WebCall): Promise<number> {
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
