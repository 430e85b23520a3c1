// Changes what the user types before it becomes a prompt: {date}, {branch} and {files} are filled in. `{help}` never
// reaches the model.
//   pintle --extension examples/extensions/placeholders.ts -p 'run echo today is {date}'
import type { ExtensionFactory } from "pintle";

const HELP = "{date} today's date, {branch} the git branch, {files} the files changed according to git";

const extension: ExtensionFactory = (pi) => {
  const git = async (cwd: string, ...words: string[]) => (await pi.exec("git", words, { cwd })).stdout.trim();
  const values: Record<string, (cwd: string) => string | Promise<string>> = {
    date: () => new Date().toLocaleDateString("sv"), // year-month-day, in local time
    branch: (cwd) => git(cwd, "branch", "--show-current"),
    files: async (cwd) => (await git(cwd, "diff", "--name-only", "HEAD")).replaceAll("\n", " "),
  };

  pi.on("input", async ({ text, images }, ctx) => {
    if (text.trim() === "{help}") {
      ctx.ui.notify(HELP);
      return { action: "handled" };
    }
    let changed = text;
    for (const [name, fill] of Object.entries(values)) {
      if (changed.includes(`{${name}}`)) changed = changed.replaceAll(`{${name}}`, await fill(ctx.cwd));
    }
    return changed === text
      ? { action: "continue" }
      : { action: "transform", text: changed, ...(images && { images }) };
  });
};

export default extension;
