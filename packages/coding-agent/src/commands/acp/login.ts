import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { findKnownProvider, knownProviders } from "@pintle/ai";
import { UsageError } from "../../cli/usage-error.ts";
import { homeDirectory } from "../../config/home-dir.ts";
import { AuthStorage } from "../../config/keys/auth-storage.ts";
import type { Environment } from "../../config/keys/environment.ts";

/** Asks for a provider's key in a terminal that an editor opened. Returns 0 if a key was stored. */
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
    process.stdout.write("Key (hidden): ");
    hidden.isOn = true;
    const key = (await terminal.question("", { signal: ending })).trim();
    hidden.isOn = false;
    if (key === "") throw new UsageError("no key was entered");
    await storeKey(env, provider, key);
    process.stdout.write(`\nStored the key for ${provider}.\n`);
    return 0;
  } finally {
    terminal.close();
  }
}

async function storeKey(env: Environment, provider: string, key: string): Promise<void> {
  await AuthStorage.create(join(homeDirectory(env), "auth.json"), { env }).storeKey(provider, key);
}
