import { test } from "bun:test";
import type { ClientClass } from "./client-classes.ts";

type Define = (name: string, run: () => Promise<void>) => void;

/**
 * Defines tests with a class from the registry. Where the registry cannot be reached they are skipped with a word about it,
 * and in CI they fail: there a silent skip would hide that nothing was tested.
 */
export async function withClient(
  name: string,
  load: () => Promise<ClientClass>,
  define: (client: ClientClass) => void,
): Promise<void> {
  let client: ClientClass;
  try {
    client = await load();
  } catch (error) {
    console.error(`${name} could not be had from the npm registry; its tests do not run: ${error}`);
    const missing: Define = process.env.CI ? test : test.skip;
    missing("comes from the registry", async () => {
      throw error;
    });
    return;
  }
  define(client);
}

/** A test for versions of the class that have the methods. */
export function testIfCan(client: ClientClass, ...methods: string[]): Define {
  return methods.every((method) => method in client.prototype) ? test : () => {};
}
