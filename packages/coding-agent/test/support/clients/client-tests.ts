import { test } from "bun:test";
import { where } from "../where.ts";
import type { ClientClass } from "./client-classes.ts";

type Define = (name: string, run: () => Promise<void>) => void;

/**
 * Defines tests of a class from the registry. If the registry cannot be reached, the tests are skipped with that
 * reason; in CI they fail, because a skip would hide that nothing was tested.
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
    const why = `${name} could not be had from the npm registry: ${String(error).split("\n", 1)[0]}`;
    const missing: Define = process.env.CI ? test : where(false, why).test;
    missing("comes from the registry", async () => {
      throw error;
    });
    return;
  }
  define(client);
}

/** Defines a test for versions of the class that have these methods. */
export function testIfCan(client: ClientClass, ...methods: string[]): Define {
  return methods.every((method) => method in client.prototype) ? test : () => {};
}
