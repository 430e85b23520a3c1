// `/commit MESSAGE` commits all changes after showing them. Without a message it asks for one.
//   pintle --extension examples/extensions/commit.ts -p '/commit all of it'
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) => {
  pi.registerCommand("commit", {
    description: "Commit all changes: /commit MESSAGE",
    async handler(args, ctx) {
      const git = (...words: string[]) => pi.exec("git", words, { cwd: ctx.cwd });
      const { stdout: changes, code } = await git("status", "--short");
      if (code !== 0 || changes === "") {
        ctx.ui.notify(code === 0 ? "There is nothing to commit." : "This is not a git repository.", "warning");
        return;
      }
      const message = args.trim() || (await ctx.ui.input("Commit message", "what changed"));
      if (!message || !(await ctx.ui.confirm(`Commit "${message}"?`, changes))) return;
      await git("add", "--all");
      const result = await git("commit", "--message", message);
      if (result.code === 0) ctx.ui.notify(`Committed "${message}".`);
      else ctx.ui.notify(result.stderr || result.stdout, "error");
    },
  });
};

export default extension;
