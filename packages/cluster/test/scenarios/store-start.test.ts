import { expect, test } from "bun:test";
import { ServeProgram } from "../../../gateway/test/support/serve-program.ts";
import { PostgresServer } from "../support/postgres/postgres.ts";

test("a node that starts before its database waits for it, and logs that without the password", async () => {
  await using server = await PostgresServer.start();
  const { url } = await server.database();
  await server.stop();
  await using node = new ServeProgram({ env: { PINTLE_SERVE_STORE: url } });
  const [line] = await node.told(/.*waiting for it\n/);
  expect(line).toContain(`127.0.0.1:${server.port}`);
  expect(line).not.toContain(new URL(url).password);
  await server.start();
  const host = await node.connect();
  expect(await host.ask({ type: "open_session" })).toMatchObject({ success: true });
}, 120_000);

test("the start fails with the reason if the database refuses or is unavailable for serve.storeTimeoutMs", async () => {
  await using server = await PostgresServer.start();
  const { url } = await server.database();
  const address = new URL(url);
  address.password = "another";
  await using refused = new ServeProgram({ env: { PINTLE_SERVE_STORE: address.href } });
  expect(await refused.ended()).toBe(2);
  expect(refused.stderr).not.toContain("waiting");
  expect(refused.stderr).toContain("password authentication failed");
  await server.stop();
  await using late = new ServeProgram({
    env: { PINTLE_SERVE_STORE: url },
    settings: { "serve.storeTimeoutMs": 1_000 },
  });
  expect(await late.ended()).toBe(2);
  expect(late.stderr.trimEnd().split("\n")).toEqual([
    expect.stringContaining("waiting for it"),
    expect.stringContaining("127.0.0.1"),
  ]);
}, 120_000);

test("a node can be stopped while it waits for its database", async () => {
  await using server = await PostgresServer.start();
  const { url } = await server.database();
  await server.stop();
  const node = new ServeProgram({ env: { PINTLE_SERVE_STORE: url } });
  await node.told(/waiting for it\n/);
  await node[Symbol.asyncDispose]();
  expect(node.child.exitCode).not.toBeNull();
}, 120_000);
