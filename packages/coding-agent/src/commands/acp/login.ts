import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { findKnownProvider, knownProviders } from "@pintle/ai";
import { UsageError } from "../../cli/usage-error.ts";
import { homeDirectory } from "../../config/home-dir.ts";
import { AuthStorage } from "../../config/keys/auth-storage.ts";
import type { Environment } from "../../config/keys/environment.ts";

/** What an editor starts in a terminal so that the user can hand over a key. Gives 0 when a key was stored. */
export async function login(env: Environment, ending: AbortSignal): Promise<number> {
  if (!process.stdin.isTTY) throw new UsageError("--login needs a terminal");
  const hidden = { isOn: false };
  const output = new Writable({
    write(text, _encoding, done) {
      if (!hidden.isOn) process.stdout.write(text);
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  try {
    process.stdout.write(`Providers: ${knownProviders.map(({ id }) => id).join(", ")}\n`);
    const provider = (await terminal.question("Provider: ", { signal: ending })).trim();
    if (!findKnownProvider(provider)) throw new UsageError(`there is no provider "${provider}"`);
    process.stdout.write("Key (it is not shown): ");
    hidden.isOn = true;
    const key = (await terminal.question("", { signal: ending })).trim();
    hidden.isOn = false;
    if (key === "") throw new UsageError("no key was given");
    await storeKey(env, provider, key);
    process.stdout.write(`\nThe key of ${provider} is stored.\n`);
    return 0;
  } finally {
    terminal.close();
  }
}

async function storeKey(env: Environment, provider: string, key: string): Promise<void> {
  await AuthStorage.create(join(homeDirectory(env), "auth.json"), { env }).storeKey(provider, key);
}
