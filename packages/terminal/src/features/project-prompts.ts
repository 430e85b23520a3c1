import type { App, Feature } from "../app.ts";

const INIT = `Draft an AGENTS.md for this project, or improve the one that exists. Read the README, the build and package files, \
the CI configuration and a few typical source files first. Write what an engineer who is new here needs and cannot guess: the \
commands that build, lint and test (also a single test), how the code is organized, and the conventions that the code follows. \
Keep it under 60 lines, state only what you have seen in the files, and leave out general advice.`;

const REVIEW = `Review the uncommitted changes of this repository (git status, git diff HEAD, and the content of untracked \
files). Do not change anything. Look for bugs, missed edge cases, security problems, broken callers and missing tests; ignore \
style that a formatter fixes. Read the surrounding code before you judge. List your findings by severity, each with file, line, \
what goes wrong and how to fix it. If there is nothing to fix, say so.`;

/** Commands that send a prepared prompt, followed by the user's own text. */
export const projectPrompts: Feature = (app) => {
  const add = (name: string, description: string, prompt: string) =>
    app.commands.add({ name, description, hint: "[what matters]", run: (rest) => send(app, prompt, rest) });
  add("init", "draft AGENTS.md for this project", INIT);
  add("review", "review the uncommitted changes", REVIEW);
};

async function send(app: App, prompt: string, rest: string): Promise<void> {
  const { session } = app;
  if (!session) return app.say("The session is not ready yet: try again in a moment.", "warning");
  await session.prompt(rest === "" ? prompt : `${prompt}\n\n${rest}`, { streamingBehavior: "followUp" });
}
