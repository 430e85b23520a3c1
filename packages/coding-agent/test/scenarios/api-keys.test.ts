import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

const KEY = "test-key-0123456789abcdefghij";

/** A provider that requires a key, at the server's address. */
async function keyedPlace(...answers: Parameters<typeof chatPlace>) {
  const chat = await chatPlace(...answers);
  const home = chat.place.env.PINTLE_HOME as string;
  const file = join(home, "models.json");
  const { providers } = JSON.parse(readFileSync(file, "utf8"));
  providers.keyed = { baseUrl: chat.server.url, api: "openai-completions", models: [{ id: "k" }] };
  writeFileSync(file, JSON.stringify({ providers }));
  return { chat, home, authFile: join(home, "auth.json") };
}

/** Returns everything that was written below a directory. */
function written(directory: string): string {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(directory, name)).filter((path) => statSync(path).isFile());
  return files.map((path) => readFileSync(path, "utf8")).join("\n");
}

describe("set_api_key", () => {
  test("applies to the next model call and the list of models, and is never returned", async () => {
    const { chat, home, authFile } = await keyedPlace(says("with a key"));
    await using _ = chat;
    const records = join(chat.place.cwd, "records");
    await using rpc = await startRpc([...CHAT, "--record", records], chat.place);
    const models = async () => (await rpc.call("get_available_models")).data.models.map(({ id }: Frame) => id);
    expect(await models()).not.toContain("k");
    const answer = await rpc.call("set_api_key", { provider: "keyed", key: KEY });
    expect(answer).toEqual({ id: answer.id, type: "response", command: "set_api_key", success: true });
    expect(await models()).toContain("k");
    await rpc.call("set_model", { provider: "keyed", modelId: "k" });
    await rpc.prompt("x");
    expect(chat.server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.parse(readFileSync(authFile, "utf8"))).toEqual({ keyed: { type: "api_key", key: KEY } });
    expect(statSync(authFile).mode & 0o777).toBe(0o600);
    await rpc.call("get_settings");
    rpc.sendLine(`{"id":"bad","type":"set_api_key","provider":"keyed","key":${KEY}}`);
    await rpc.until(({ command }) => command === "parse");
    expect(await rpc.call("remove_api_key", { provider: "keyed" })).toMatchObject({ success: true });
    expect(await models()).not.toContain("k");
    expect(readFileSync(authFile, "utf8")).not.toContain(KEY);
    expect(await rpc.end()).toBe(0);
    expect(JSON.stringify(rpc.frames)).not.toContain(KEY);
    expect(await rpc.stderr()).not.toContain(KEY);
    for (const place of [home, records]) expect(written(place)).not.toContain(KEY);
  });

  test("keeps other credentials, and makes a shared file private", async () => {
    const { chat, authFile } = await keyedPlace();
    await using _ = chat;
    const other = { elsewhere: { type: "oauth", refresh: "r".repeat(20) } };
    writeFileSync(authFile, JSON.stringify(other));
    chmodSync(authFile, 0o644);
    await using rpc = await startRpc(CHAT, chat.place);
    expect(await rpc.call("set_api_key", { provider: "elsewhere", key: KEY })).toMatchObject({
      success: false,
      code: "invalid_request",
      error: expect.stringContaining("another kind of credential"),
    });
    await rpc.call("set_api_key", { provider: "keyed", key: KEY });
    expect(JSON.parse(readFileSync(authFile, "utf8"))).toEqual({ ...other, keyed: { type: "api_key", key: KEY } });
    expect(statSync(authFile).mode & 0o777).toBe(0o600);
  });

  test("leaves an unreadable file unchanged, and keeps the key out of the error", async () => {
    const { chat, authFile } = await keyedPlace();
    await using _ = chat;
    await using rpc = await startRpc(CHAT, chat.place);
    writeFileSync(authFile, '{"broken": ', { mode: 0o600 });
    const answer = await rpc.call("set_api_key", { provider: "keyed", key: KEY });
    expect(answer).toMatchObject({ success: false, code: "invalid_request" });
    expect(JSON.stringify(answer)).not.toContain(KEY);
    expect(readFileSync(authFile, "utf8")).toBe('{"broken": ');
    expect(existsSync(`${authFile}.lock`)).toBe(false);
  });
});
