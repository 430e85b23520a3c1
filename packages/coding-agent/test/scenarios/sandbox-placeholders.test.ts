import { expect } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../exec/test/support/processes/living-processes.ts";
import { availableStrength } from "../../../exec/test/support/sandbox/available.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { where } from "../support/where.ts";

// Names that a command must not create exist as placeholders while it runs and leave nothing behind, however the built
// program ends.

const full = where((await availableStrength()).full === "full", "needs bubblewrap, Landlock and seccomp");
const SANDBOX = [...CHAT, "--sandbox", "workspace-write"];

const NAMES = [
  ".bash_aliases",
  ".bash_login",
  ".bash_profile",
  ".zshenv",
  ".gitconfig",
  ".ssh/authorized_keys",
  ".config/systemd/user/x.service",
  ".config/autostart/x.desktop",
];
const WRITE_ALL = NAMES.map((name) => `mkdir -p "$(dirname ${name})"; echo x > ${name}`).join("; ");

/** Returns everything below a directory, by path. */
const tree = (directory: string): string[] => readdirSync(directory, { recursive: true }).map(String).sort();

/**
 * An environment in which the home directory is the workspace, pintle's own directory is elsewhere, and the model runs
 * one command.
 */
async function homePlace(command: string) {
  const at = await chatPlace(callsTools({ name: "bash", args: { command } }), says("done"));
  const home = join(at.place.root, "user");
  mkdirSync(home);
  writeFileSync(join(home, ".profile"), "# mine\n");
  return { at, home, place: { ...at.place, cwd: home, env: { ...at.place.env, HOME: home } } };
}

const resultOf = ({ frames }: RpcChild): string =>
  frames.find(({ type }) => type === "tool_execution_end")?.result.content[0].text;

full.test("startup files that do not exist cannot be created, and no placeholder is left behind", async () => {
  const { at, home, place } = await homePlace(
    `${WRITE_ALL}; echo x > made; mkdir -p .config/mine; echo x > .config/mine/file`,
  );
  await using _ = at;
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.prompt("go");
  expect(resultOf(rpc)).toContain(".bash_profile");
  expect(tree(home)).toEqual([".config", ".config/mine", ".config/mine/file", ".profile", "made"]);
});

full.test("a folder with startup files cannot be moved into place", async () => {
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

full.test("a project has no .pintle folder after a command, and no command can create one", async () => {
  const command = "mkdir -p .pintle; echo {} > .pintle/settings.json; echo {} > made";
  await using at = await chatPlace(callsTools({ name: "bash", args: { command } }), says("done"));
  const project = join(at.place.root, "project");
  mkdirSync(project);
  await using rpc = await startRpc(SANDBOX, { ...at.place, cwd: project });
  await rpc.prompt("go");
  expect(tree(project)).toEqual(["made"]);
});

/** A command that reports its start and waits for permission to continue. */
const WAITING = "echo > started; while [ ! -e go ]; do sleep 0.05; done";

full.test("no placeholder is left after kill -9 of the program during a command", async () => {
  const { at, home, place } = await homePlace(WAITING);
  await using _ = at;
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.call("prompt", { message: "go" });
  await eventually(() => existsSync(join(home, "started")));
  expect(existsSync(join(home, ".bash_profile"))).toBe(true);
  await rpc.kill("SIGKILL");
  expect(await eventually(() => tree(home).join() === ".profile,started")).toBe(true);
});

full.test("keeps what another process writes into a placeholder", async () => {
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

for (const [name, isShared] of [
  ["in the same directory", true],
  ["with another PINTLE_HOME", false],
] as const) {
  full.test(`a command is protected until its own end, even if another one ${name} ends first`, async () => {
    const { at, home, place } = await homePlace(`${WAITING}; ${WRITE_ALL}`);
    await using _ = at;
    await using quick = await chatPlace(callsTools({ name: "bash", args: { command: "true" } }), says("done"));
    await using rpc = await startRpc(SANDBOX, place);
    await rpc.call("prompt", { message: "go" });
    await eventually(() => existsSync(join(home, "started")));
    const ownDirectory = (isShared ? at : quick).place.env.PINTLE_HOME ?? "";
    const models = readFileSync(join(quick.place.env.PINTLE_HOME ?? "", "models.json"));
    writeFileSync(join(ownDirectory, "models.json"), models);
    {
      await using second = await startRpc(SANDBOX, { ...place, env: { ...place.env, PINTLE_HOME: ownDirectory } });
      await second.prompt("go");
    }
    expect(existsSync(join(home, ".bash_profile"))).toBe(true);
    writeFileSync(join(home, "go"), "");
    await rpc.until(({ type }) => type === "agent_settled");
    expect(tree(home)).toEqual([".profile", "go", "started"]);
  });
}

full.test(
  "placeholders of the first command stay until the last one, with another PINTLE_HOME, has ended",
  async () => {
    const { at, home, place } = await homePlace(WAITING);
    await using _ = at;
    await using other = await chatPlace(
      callsTools({ name: "bash", args: { command: WAITING.replaceAll("go", "go2").replace("started", "started2") } }),
      says("done"),
    );
    await using rpc = await startRpc(SANDBOX, place);
    await rpc.call("prompt", { message: "go" });
    await eventually(() => existsSync(join(home, "started")));
    const env = { ...place.env, PINTLE_HOME: other.place.env.PINTLE_HOME ?? "" };
    await using second = await startRpc(SANDBOX, { ...place, env });
    await second.call("prompt", { message: "go" });
    await eventually(() => existsSync(join(home, "started2")));
    writeFileSync(join(home, "go"), "");
    await rpc.until(({ type }) => type === "agent_settled");
    expect(existsSync(join(home, ".bash_profile"))).toBe(true);
    writeFileSync(join(home, "go2"), "");
    await second.until(({ type }) => type === "agent_settled");
    expect(await eventually(() => tree(home).join() === ".profile,go,go2,started,started2")).toBe(true);
  },
);

const REPLACE_LINKS =
  "rm .bashrc .config; echo evil > .bashrc; mkdir -p .config/autostart; echo evil > .config/autostart/x";

/** Start-up files that are links to a folder of dotfiles, one of them through another link. */
function linkDotfiles(home: string): void {
  mkdirSync(join(home, "dotfiles/config"), { recursive: true });
  writeFileSync(join(home, "dotfiles/bashrc"), "# mine\n");
  symlinkSync("dotfiles", join(home, "dots"));
  symlinkSync("dots/bashrc", join(home, ".bashrc"));
  symlinkSync("dotfiles/config", join(home, ".config"));
}

function expectDotfiles(home: string): void {
  const links = [".bashrc", ".config", "dots"].map((name) => readlinkSync(join(home, name)));
  expect(links).toEqual(["dots/bashrc", "dotfiles/config", "dotfiles"]);
  expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("# mine\n");
  expect(readdirSync(join(home, "dotfiles/config"))).toEqual([]);
  expect(readdirSync(home).filter((name) => name.startsWith(".bashrc.replaced-by-command"))).toHaveLength(1);
}

full.test("startup files that are links are restored when a command has replaced them", async () => {
  const { at, home, place } = await homePlace(
    `${REPLACE_LINKS}; rm dots; mkdir dots; echo evil > dots/bashrc; echo evil > dotfiles/bashrc`,
  );
  await using _ = at;
  linkDotfiles(home);
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.prompt("go");
  expectDotfiles(home);
});

full.test("a folder that contains such a link cannot be replaced", async () => {
  const command = "mv .local away; mkdir -p .local/share/systemd/user; echo evil > .local/share/systemd/user/x.service";
  const { at, home, place } = await homePlace(command);
  await using _ = at;
  // The link leads to a place where no command can write, so the link is the only obstacle.
  mkdirSync(join(home, ".local/share"), { recursive: true });
  symlinkSync("/usr/share", join(home, ".local/share/systemd"));
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.prompt("go");
  expect(readlinkSync(join(home, ".local/share/systemd"))).toBe("/usr/share");
  expect(existsSync(join(home, "away"))).toBe(false);
});

full.test("links are also restored after kill -9 of the program", async () => {
  const { at, home, place } = await homePlace(`${REPLACE_LINKS}; ${WAITING}`);
  await using _ = at;
  linkDotfiles(home);
  await using rpc = await startRpc(SANDBOX, place);
  await rpc.call("prompt", { message: "go" });
  await eventually(() => existsSync(join(home, "started")));
  await rpc.kill("SIGKILL");
  const isLink = (name: string) => lstatSync(join(home, name), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  await eventually(() => isLink(".config") && isLink(".bashrc"));
  expectDotfiles(home);
});

full.test("startup files are protected in XDG_CONFIG_HOME, XDG_DATA_HOME and ZDOTDIR", async () => {
  const names = ["zsh/.zshrc", "cfg/autostart/x.desktop", "cfg/git/config", "data/systemd/user/x.service"];
  const write = names.map((name) => `mkdir -p "$(dirname ${name})"; echo x > ${name}`).join("; ");
  await using at = await chatPlace(
    callsTools({ name: "bash", args: { command: `${write}; echo x > cfg/made` } }),
    says("done"),
  );
  const project = join(at.place.root, "project");
  mkdirSync(join(project, "zsh"), { recursive: true });
  mkdirSync(join(project, "cfg"));
  const variables = {
    ZDOTDIR: join(project, "zsh"),
    XDG_CONFIG_HOME: join(project, "cfg"),
    XDG_DATA_HOME: join(project, "data"),
  };
  await using rpc = await startRpc(SANDBOX, { ...at.place, cwd: project, env: { ...at.place.env, ...variables } });
  await rpc.prompt("go");
  expect(tree(project)).toEqual(["cfg", "cfg/made", "zsh"]);
});

full.test("startup files are protected in a workspace below the home directory", async () => {
  const { at, home, place } = await homePlace("mkdir -p autostart; echo x > autostart/x; echo x > made");
  await using _ = at;
  mkdirSync(join(home, ".config"));
  await using rpc = await startRpc(SANDBOX, { ...place, cwd: join(home, ".config") });
  await rpc.prompt("go");
  expect(tree(home)).toEqual([".config", ".config/made", ".profile"]);
});
