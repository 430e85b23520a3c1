import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { extension, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

// Sends extension commands to the built program before the module that defines them is loaded.

const SAY = `pi.registerCommand("say", { handler: (args, ctx) => tell(ctx, "say", args) });`;
/** A factory that ends when the test lets it. */
const HOLD = `while (!existsSync(process.env.GO)) await new Promise((resolve) => setTimeout(resolve, 5));`;

const said = ({ statusKey }: Frame) => statusKey === "say";
const settled = ({ type }: Frame) => type === "agent_settled";
/** Returns the matching frame, even if it arrived before another one that was awaited. */
const seen = async (rpc: RpcChild, fits: (frame: Frame) => boolean) => rpc.frames.find(fits) ?? rpc.until(fits);
const texts = async (rpc: RpcChild) =>
  (await rpc.call("get_messages")).data.messages
    .filter(({ role }: Frame) => role === "user")
    .map(({ content }: Frame) => content[0].text);

describe("while a project's module loads or waits for trust", () => {
  async function untrusted(...answers: Parameters<typeof chatPlace>) {
    const chat = await chatPlace(...answers);
    const cwd = join(chat.place.root, "project");
    mkdirSync(join(cwd, ".pintle/extensions"), { recursive: true });
    writeFileSync(join(cwd, ".pintle/extensions/own.ts"), extension(`${HOLD} ${SAY}`));
    const go = join(chat.place.root, "GO");
    const rpc = await startRpc(CHAT, { cwd, env: { ...chat.place.env, GO: go } });
    return {
      rpc,
      server: chat.server,
      load: () => writeFileSync(go, ""),
      async trust(trusted = true) {
        await rpc.call("set_host_capabilities", { trust: true });
        const { id } = await seen(rpc, ({ type }) => type === "trust_request");
        return () => rpc.send({ type: "trust_response", id, trusted });
      },
      async [Symbol.asyncDispose]() {
        await rpc[Symbol.asyncDispose]();
        await chat[Symbol.asyncDispose]();
      },
    };
  }

  test("runs a command sent before the trust decision", async () => {
    await using run = await untrusted();
    const answer = await run.trust();
    expect(await run.rpc.call("prompt", { message: "/say early" })).toMatchObject({ success: true });
    answer();
    run.load();
    expect((await run.rpc.until(said)).statusText).toBe('"early"');
    expect(run.server.requests).toEqual([]);
  });

  test("runs a command sent while the module loads, without starting a run", async () => {
    await using run = await untrusted();
    const answer = await run.trust();
    answer();
    await run.rpc.until(({ type }) => type === "trust_resolved");
    run.rpc.send({ id: "c", type: "prompt", message: "/say loading" });
    await run.rpc.call("get_state");
    expect(run.rpc.frames.some(said)).toBe(false);
    run.load();
    await run.rpc.until(({ type, id }) => type === "prompt_result" && id === "c");
    expect(run.rpc.frames.find(said)?.statusText).toBe('"loading"');
    expect(run.rpc.frames.some(({ type }) => type === "agent_start")).toBe(false);
  });

  test("sends the text to the model when trust is denied", async () => {
    await using run = await untrusted(says("fine"));
    const answer = await run.trust(false);
    run.rpc.send({ type: "prompt", message: "/say early" });
    answer();
    await run.rpc.until(settled);
    expect(await texts(run.rpc)).toEqual(["/say early"]);
  });

  test("runs a command but refuses to queue one while a run is active", async () => {
    const held = heldAnswer();
    await using run = await untrusted(held.respond);
    await run.rpc.call("prompt", { message: "go" });
    await held.asked;
    const answer = await run.trust();
    answer();
    await run.rpc.until(({ type }) => type === "trust_resolved");
    run.rpc.send({ id: "s", type: "steer", message: "/say steered" });
    run.rpc.send({ type: "prompt", message: "/say plain" });
    run.rpc.send({ type: "prompt", message: "/say after", streamingBehavior: "followUp" });
    run.load();
    const refused = await seen(run.rpc, ({ id }) => id === "s");
    expect(refused.error).toContain('"/say" cannot be queued');
    while (run.rpc.frames.filter(said).length < 2) await run.rpc.until(said);
    expect(run.rpc.frames.filter(said).map(({ statusText }) => statusText)).toEqual(
      expect.arrayContaining(['"plain"', '"after"']),
    );
    held.write("done");
    held.finish();
    await run.rpc.until(settled);
    expect(await texts(run.rpc)).toEqual(["go"]);
  });

  test("drops the command when the run is aborted", async () => {
    await using run = await untrusted(says("fine"));
    await run.trust();
    run.rpc.send({ id: "c", type: "prompt", message: "/say never" });
    await run.rpc.call("abort");
    await seen(run.rpc, ({ type, id, success }) => type === "response" && id === "c" && success === false);
    expect(run.rpc.frames.some(said)).toBe(false);
  });
});

test("a command sent while modules are reloaded runs after the reload", async () => {
  await using run = await withExtensions(
    `${SAY} pi.registerCommand("again", { handler: (_, ctx) => ctx.reload() });
     pi.on("session_shutdown", () => { process.env.GO = process.env.NOTES + ".go"; note("left", null); });
     if (process.env.GO) { ${HOLD} }`,
  );
  run.rpc.send({ type: "prompt", message: "/again" });
  while (run.notes().length === 0) await Bun.sleep(5);
  const answered = run.rpc.call("prompt", { message: "/say during" });
  expect(await answered).toMatchObject({ success: true });
  writeFileSync(join(run.place.root, "notes.go"), "");
  expect((await run.rpc.until(said)).statusText).toBe('"during"');
  expect(run.server.requests).toEqual([]);
});
