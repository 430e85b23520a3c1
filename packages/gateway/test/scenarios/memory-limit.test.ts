import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { where } from "../../../coding-agent/test/support/where.ts";
import { memoryLimit } from "../../src/workers/memory-limit.ts";
import { realGateway } from "../support/gateway-fixture.ts";
import { open, prompt } from "../support/session-talk.ts";
import { isType } from "../support/test-host.ts";

const HUNGRY = `export default (pi) => pi.on("agent_start", () => {
  const kept = [];
  for (let n = 0; n < 64; n += 1) kept.push(new Uint8Array(64 * 1024 * 1024).fill(n));
});`;

where(process.platform === "linux", "needs Linux").test(
  "a worker that takes too much memory costs its own session only",
  async () => {
    await using served = realGateway({ workerMemoryBytes: 700 * 1024 * 1024 });
    const extension = join(served.cwd, "hungry.ts");
    writeFileSync(extension, HUNGRY);
    const host = served.host();
    expect(await host.get({ type: "get_server_state" })).toMatchObject({
      workerLimits: { memoryBytes: 700 * 1024 * 1024 },
    });
    const [hungry, other] = [await open(host, { settings: { extensions: [extension] } }), await open(host)];
    host.write({ type: "prompt", sessionId: hungry, message: "hello" });
    // Either the allocation fails in the extension or the engine fails as a whole; neither takes memory from others.
    await host.until(
      (frame) => frame.sessionId === hungry && (frame.type === "extension_error" || frame.type === "worker_exited"),
      0,
      "the refusal of the memory",
    );
    expect(await prompt(host, other, "hello")).toContain("offline model");
    expect(host.frames.filter(isType("worker_exited")).every(({ sessionId }) => sessionId === hungry)).toBe(true);
  },
);

test("a system without such limits has none, and the command stays as it is", () => {
  const limit = memoryLimit(1024, "darwin");
  expect(limit.bytes).toBeUndefined();
  expect(limit.within(["pintle"])).toEqual(["pintle"]);
});
