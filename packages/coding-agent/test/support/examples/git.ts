/** Variables that let git commit where no user is configured. */
export const GIT_USER = {
  GIT_AUTHOR_NAME: "T",
  GIT_AUTHOR_EMAIL: "t@example.org",
  GIT_COMMITTER_NAME: "T",
  GIT_COMMITTER_EMAIL: "t@example.org",
};

/** Returns git's output. Throws if git fails. */
export async function git(cwd: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn(["git", "-c", "init.defaultBranch=trunk", ...words], {
    cwd,
    env: { ...process.env, ...GIT_USER },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout;
}
