import { expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { RpcClient } from "../../src/index.ts";

async function failureOf(options: ConstructorParameters<typeof RpcClient>[0]): Promise<string> {
  const error = await new RpcClient(options).start().catch((thrown: Error) => thrown);
  return (error as Error).message;
}

test("distinguishes a missing directory from a missing program", async () => {
  expect(await failureOf({ command: [process.execPath], cwd: "/no/such/directory" })).toBe(
    "The server could not be started: the directory /no/such/directory does not exist",
  );
});

test("names the missing program if an option chose it", async () => {
  expect(await failureOf({ command: ["/no/such/pintle"] })).toBe(
    'The server could not be started: there is no program "/no/such/pintle"; check the option command',
  );
});

test("a client without a program reports where it looked and how to get one", async () => {
  const elsewhere = scratchPath();
  try {
    const client = join(elsewhere, "node_modules/@pintle/client");
    cpSync(join(import.meta.dir, "../../src"), client, { recursive: true });
    const code = "new RpcClient().start().catch((error) => console.log(error.message))";
    const script = `import { RpcClient } from ${JSON.stringify(join(client, "index.ts"))}; await ${code}`;
    const child = Bun.spawn([process.execPath, "-e", script], { cwd: elsewhere, env: { PATH: "" }, stdout: "pipe" });
    const message = await new Response(child.stdout).text();
    expect(message).toContain(`"pintle", neither on the PATH nor at\n`);
    expect(message).toContain(`\n  ${join(elsewhere, "node_modules/.bin/pintle")}\n`);
    expect(message).toContain("npm run build");
    expect(message).toContain("command: [");
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});
