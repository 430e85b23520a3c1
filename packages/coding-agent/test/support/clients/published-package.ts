import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "../program.ts";

/** Files of a package on the npm registry, at a fixed version. */
export interface PublishedFiles {
  name: string;
  version: string;
  /** sha512 of the tarball, as stated by the registry, so that the code that runs is the code that was reviewed. */
  integrity: string;
  /** Paths in the package, files or directories. */
  files: readonly string[];
}

const CACHE = join(repository, "node_modules/.cache/published-clients");

/**
 * Returns the directory with those files, fetched from the registry the first time. A full install of these packages takes
 * 160 MB to 1.4 GB for a client of a few kilobytes, so only the tarball is fetched, and only the named files are kept.
 */
export async function publishedFiles({ name, version, integrity, files }: PublishedFiles): Promise<string> {
  const kept = join(CACHE, `${name}@${version}`);
  if (files.every((file) => existsSync(join(kept, file)))) return kept;
  mkdirSync(dirname(kept), { recursive: true });
  const scratch = mkdtempSync(join(CACHE, "fetch-"));
  try {
    await run(["npm", "pack", `${name}@${version}`, "--ignore-scripts", "--silent"], scratch);
    const [tarball] = [...new Bun.Glob("*.tgz").scanSync(scratch)];
    if (tarball === undefined) throw new Error(`npm pack ${name}@${version} made no tarball`);
    const bytes = readFileSync(join(scratch, tarball));
    const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    if (found !== integrity) throw new Error(`${name}@${version} is ${found}, not ${integrity}`);
    await run(["tar", "-xzf", tarball, ...files.map((file) => `package/${file}`)], scratch);
    rmSync(kept, { recursive: true, force: true });
    renameSync(join(scratch, "package"), kept);
    return kept;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const stderr = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${stderr.trim()}`);
}
