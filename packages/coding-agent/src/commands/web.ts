import { UsageError } from "../cli/usage-error.ts";
import { type ServeFlags, run as serve } from "./serve.ts";
import type { SubcommandCall } from "./subcommands.ts";
import { openInBrowser } from "./web/open-in-browser.ts";

interface WebCall extends Pick<SubcommandCall<never>, "words" | "env" | "ending"> {
  flags: Omit<ServeFlags, "web"> & { open?: true };
}

/** `pintle web`: the sessions of a directory in a browser, until a signal. */
export async function run({ flags: { open, ...flags }, words, env, ending }: WebCall): Promise<number> {
  if (words.length > 0) throw new UsageError("pintle web takes no words");
  const opened: { close(): void }[] = [];
  try {
    return await serve({
      words,
      env,
      ending,
      flags: { ...flags, web: true },
      onListening: (address) => {
        if (open) opened.push(openInBrowser(address));
      },
    });
  } finally {
    for (const { close } of opened) close();
  }
}
