// Stores the state of the files before every prompt, and `/undo` restores one: new files are removed, changed and
// deleted ones restored.
//   pintle --extension examples/extensions/git-checkpoint.ts -p 'write a.txt: x' --message '/undo'
// The states are in a separate repository inside .git, so your branches, index and history stay untouched. Ignored
// files are neither stored nor restored.
import { join } from "node:path";
import type { ExtensionFactory } from "pintle";

const USER = ["-c", "user.name=pintle", "-c", "user.email=pintle@localhost"];

interface Checkpoint {
  commit: string;
  prompt: string;
}

const extension: ExtensionFactory = (pi) => {
  const git = async (cwd: string, ...words: string[]) => {
    const { stdout, stderr, code } = await pi.exec("git", words, { cwd });
    if (code !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
    return stdout.trim();
  };

  /** Runs git with the checkpoint repository; returns undefined if the project is not under git. */
  async function shadow(cwd: string): Promise<((...words: string[]) => Promise<string>) | undefined> {
    const { stdout, code } = await pi.exec("git", ["rev-parse", "--absolute-git-dir", "--show-toplevel"], { cwd });
    const [gitDir, root] = stdout.split("\n");
    if (code !== 0 || !gitDir || !root) return undefined;
    const own = join(gitDir, "pintle-checkpoints");
    await git(root, "init", "--quiet", "--bare", own);
    return (...words) =>
      git(root, `--git-dir=${own}`, `--work-tree=${root}`, "-c", "core.bare=false", ...USER, ...words);
  }

  async function keep(cwd: string, message: string): Promise<string | undefined> {
    const own = await shadow(cwd);
    if (!own) return undefined;
    await own("add", "--all");
    await own("commit", "--quiet", "--allow-empty", "--no-verify", "--message", message || "no text");
    return own("rev-parse", "HEAD");
  }

  pi.on("before_agent_start", async ({ prompt }, { cwd }) => {
    const commit = await keep(cwd, prompt);
    if (commit !== undefined) pi.appendEntry("checkpoint", { commit, prompt } satisfies Checkpoint);
  });

  pi.registerCommand("undo", {
    description: "Restore the files as they were before a prompt",
    async handler(_args, ctx) {
      await ctx.waitForIdle();
      const points = ctx.sessionManager
        .getBranch()
        .flatMap((entry) =>
          entry.type === "custom" && entry.customType === "checkpoint" ? [entry.data as Checkpoint] : [],
        )
        .reverse();
      const options = points.map(({ prompt }, index) => `${index + 1}. before: ${prompt.slice(0, 80)}`);
      if (options.length === 0) return ctx.ui.notify("There is no checkpoint.", "warning");
      const choice = await ctx.ui.select("Restore the files to", options);
      const point = points[options.indexOf(choice ?? "")];
      if (!point) return;
      await keep(ctx.cwd, "before an undo"); // also shows git which files are new
      const own = await shadow(ctx.cwd);
      await own?.("read-tree", "--reset", "-u", point.commit);
      ctx.ui.notify(`The files are as they were before: ${point.prompt}`);
    },
  });
};

export default extension;
