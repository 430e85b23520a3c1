// Shows the model in every request which files have changed; none of this is stored.
//   pintle --extension examples/extensions/git-status.ts -p 'what files are here'
import type { ExtensionFactory } from "pintle";

const MAX_LINES = 50;

const extension: ExtensionFactory = (pi) => {
  pi.on("context", async ({ messages }, ctx) => {
    const { stdout, code } = await pi.exec("git", ["status", "--short", "--branch"], { cwd: ctx.cwd, timeout: 5000 });
    if (code !== 0) return undefined; // not a repository
    const lines = stdout.trimEnd().split("\n").slice(0, MAX_LINES);
    const content = `<git-status>\n${lines.join("\n")}\n</git-status>`;
    return { messages: [...messages, { role: "user", content, timestamp: Date.now() }] };
  });
};

export default extension;
