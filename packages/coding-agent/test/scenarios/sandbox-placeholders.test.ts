import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/processes/living-processes.ts";
import { availableStrength } from "../support/sandbox/available.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { where } from "../support/where.ts";

// Names that a command must not make are there while it runs, and leave nothing behind, however the built program ends.

const full = where((await availableStrength()).full === "full", "needs bubblewrap, Landlock and seccomp");
const SANDBOX = [...CHAT, "--sandbox", "workspace-write"];

const NAMES = [
  ...[".bash_aliases", ".bash_login", ".bash_profile", ".zshenv", ".gitconfig", ".ssh/authorized_keys"],
  ...[".config/systemd/user/x.service", ".config/autostart/x.desktop"],
];
const WRITE_ALL = NAMES.map((name) => `mkdir -p "$(dirname ${name})"; echo x > ${name}`).join("; ");

/** Everything below a directory, by its path. */
const tree = (directory: string): string[] => readdirSync(directory, { recursive: true }).map(String).sort();

/** A home directory that is the workspace, with pintle's own directory elsewhere, and a model that runs one command. */
async function homePlace(command: string) {
  const at = await chatPlace(callsTools({ name: "bash", args: { command } }), says("done"));
  const home = join(at.place.root, "user");
  mkdirSync(home);
  writeFileSync(join(home, ".profile"), "# mine\n");
  return { at, home, place: { ...at.place, cwd: home, env: { ...at.place.env, HOME: home } } };
}

const resultOf = ({ frames }: RpcChild): string =>
  frames.find(({ type }) => type === "tool_execution_end")?.result.content[0].text;

full.test("start-up files that do not exist cannot be made, and nothing is left of what keeps them away", async () => {
  const { at, home, place } = await homePlace(
    `${WRITE_ALL}; echo x > made; mkdir -p .config/mine; echo x > .config/mine/file`,
  );
  await using _ = at;
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.prompt("go");
  expect(resultOf(rpc)).toContain(".bash_profile");
  expect(tree(home)).toEqual([".config", ".config/mine", ".config/mine/file", ".profile", "made"]);
});

full.test("a folder with start-up files cannot be moved into place", async () => {
  const command =
    "mkdir -p new/autostart; echo x > new/autostart/x; mv -T new .config; echo x > f; mv f .bash_profile; ln f .zshenv";
  const { at, home, place } = await homePlace(command);
  await using _ = at;
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.prompt("go");
  expect(tree(home)).toEqual([".profile", "f", "new", "new/autostart", "new/autostart/x"]);
});

full.test("a login shell reads .profile while a command runs", async () => {
  const { at, home, place } = await homePlace("HOME=$PWD bash -lc 'echo $MARK'");
  await using _ = at;
  writeFileSync(join(home, ".profile"), "MARK=from-profile\n");
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.prompt("go");
  expect(resultOf(rpc)).toContain("from-profile");
});

full.test("a project has no .pintle after a command, and none in it can be made", async () => {
  const command = "mkdir -p .pintle; echo {} > .pintle/settings.json; echo {} > made";
  await using at = await chatPlace(callsTools({ name: "bash", args: { command } }), says("done"));
  const project = join(at.place.root, "project");
  mkdirSync(project);
  await using rpc = await startRpc(SANDBOX, { ...at.place, cwd: project });
  await rpc.prompt("go");
  expect(tree(project)).toEqual(["made"]);
});

/** A command that tells that it runs, and waits until it is told to go on. */
const WAITING = "echo > started; while [ ! -e go ]; do sleep 0.05; done";

full.test("nothing is left after kill -9 of the program during a command", async () => {
  const { at, home, place } = await homePlace(WAITING);
  await using _ = at;
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.call("prompt", { message: "go" });
  await eventually(() => existsSync(join(home, "started")));
  expect(existsSync(join(home, ".bash_profile"))).toBe(true);
  await rpc.kill("SIGKILL");
  expect(await eventually(() => tree(home).join() === ".profile,started")).toBe(true);
});

full.test("what somebody puts into a placeholder meanwhile stays", async () => {
  const { at, home, place } = await homePlace(WAITING);
  await using _ = at;
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.call("prompt", { message: "go" });
  await eventually(() => existsSync(join(home, "started")));
  writeFileSync(join(home, ".zshenv"), "# mine\n");
  await rpc.kill("SIGKILL");
  expect(await eventually(() => tree(home).join() === ".profile,.zshenv,started")).toBe(true);
  expect(readFileSync(join(home, ".zshenv"), "utf8")).toBe("# mine\n");
});

full.test(
  "a command is protected until its own end, also when another one in the same directory ends first",
  async () => {
    const { at, home, place } = await homePlace(`${WAITING}; ${WRITE_ALL}`);
    await using _ = at;
    await using quick = await chatPlace(callsTools({ name: "bash", args: { command: "true" } }), says("done"));
    await using rpc = await startRpc(SANDBOX, place);
    await rpc.call("prompt", { message: "go" });
    await eventually(() => existsSync(join(home, "started")));
    // The second one has pintle's directory in common, where the locks are, and a model of its own.
    const models = (at: { place: { env: Record<string, string> } }) =>
      join(at.place.env.PINTLE_HOME ?? "", "models.json");
    writeFileSync(models(at), readFileSync(models(quick)));
    {
      await using second = await startRpc(SANDBOX, place);
      await second.prompt("go");
    }
    expect(existsSync(join(home, ".bash_profile"))).toBe(true);
    writeFileSync(join(home, "go"), "");
    await rpc.until(({ type }) => type === "agent_settled");
    expect(tree(home)).toEqual([".profile", "go", "started"]);
  },
);
