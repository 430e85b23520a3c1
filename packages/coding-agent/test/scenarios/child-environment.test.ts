import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

// Tests the environment that real children of the built program receive.

const OURS = {
  MY_LLM: "secret-of-auth-json",
  COMPANY_LLM: "secret-of-models-json",
  GITHUB_TOKEN: "secret-by-name",
  CI_TOKEN: "secret-to-be-passed",
  PLAIN: "plain",
  KEYBOARD: "qwerty",
};

/** Three kinds of children, each writing its environment to a file. */
async function place(): Promise<ChatPlace & { file(name: string): string }> {
  const chat = await chatPlace(callsTools({ name: "bash", args: { command: "env > tool.env" } }), says("done"));
  const home = chat.place.env.PINTLE_HOME as string;
  Object.assign(chat.place.env, OURS);
  const { providers } = JSON.parse(readFileSync(join(home, "models.json"), "utf8"));
  Object.assign(providers, { anthropic: { apiKey: "COMPANY_LLM" } });
  const file = (name: string) => join(chat.place.cwd, name);
  const server = {
    command: "sh",
    args: ["-c", `env > ${file("mcp.part")}; mv ${file("mcp.part")} ${file("mcp.env")}; cat`],
  };
  const content = {
    "models.json": { providers },
    "auth.json": { openai: { type: "api_key", key: "MY_LLM" } },
    "settings.json": { "env.pass": ["CI_*"] },
    "mcp.json": { mcpServers: { one: { ...server, env: { GIVEN_TOKEN: `\${GITHUB_TOKEN}` } } } },
  };
  for (const [name, value] of Object.entries(content)) {
    writeFileSync(join(home, name), JSON.stringify(value), { mode: 0o600 });
  }
  writeFileSync(
    file("it.ts"),
    `export default (pi) => pi.registerCommand("env", { handler: async () => {
       const { stdout } = await pi.exec("env", []);
       await Bun.write(${JSON.stringify(file("exec.env"))}, stdout);
     } });`,
  );
  return { ...chat, file };
}

function secretsIn(path: string): string[] {
  const variables = readFileSync(path, "utf8").split("\n");
  const names = [...Object.keys(OURS), "GIVEN_TOKEN"];
  return names.filter((name) => variables.some((line) => line.startsWith(`${name}=`)));
}

const untilThere = async (path: string) => {
  while (!existsSync(path)) await Bun.sleep(20);
};

describe("child processes inherit no keys", () => {
  test("applies to the model's bash, the host's bash, an extension's program and an MCP server", async () => {
    await using at = await place();
    await using rpc = await startRpc([...CHAT, "-e", at.file("it.ts")], at.place);
    await rpc.prompt("go");
    await rpc.call("bash", { command: "env > host.env" });
    await rpc.call("prompt", { message: "/env" });
    await untilThere(at.file("exec.env"));
    await untilThere(at.file("mcp.env"));
    const found = ["tool", "host", "exec", "mcp"].map((name) => secretsIn(at.file(`${name}.env`)));
    const inherited = ["CI_TOKEN", "PLAIN", "KEYBOARD"];
    expect(found).toEqual([inherited, inherited, inherited, [...inherited, "GIVEN_TOKEN"]]);
  });

  test("a project may hide more variables, and expose none", async () => {
    await using at = await place();
    const project = join(at.place.cwd, "project");
    mkdirSync(join(project, ".pintle"), { recursive: true });
    const wishes = { env: { withhold: ["PLAIN", "CI_*"], pass: ["*"] } };
    writeFileSync(join(project, ".pintle/settings.json"), JSON.stringify(wishes));
    await using rpc = await startRpc(CHAT, { ...at.place, cwd: project });
    await rpc.call("bash", { command: "env > host.env" });
    expect(secretsIn(join(project, "host.env"))).toEqual(["CI_TOKEN", "KEYBOARD"]); // what the user passes is kept
  });

  test("--set env.pass exposes the named variables for one process", async () => {
    await using at = await place();
    await using rpc = await startRpc([...CHAT, "--set", 'env.pass=["GITHUB_TOKEN","MY_LLM"]'], at.place);
    await rpc.call("bash", { command: "env > host.env" });
    expect(secretsIn(at.file("host.env"))).toEqual(["MY_LLM", "GITHUB_TOKEN", "CI_TOKEN", "PLAIN", "KEYBOARD"]);
  });
});
