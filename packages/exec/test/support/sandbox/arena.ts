import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import type { SandboxPolicy } from "../../../src/sandbox/policy.ts";

/** Attempts look for contents with SECRET in them. */
const FILES: Readonly<Record<string, string>> = {
  "outside/victim": "original\n",
  "home/.ssh/id_rsa": "SECRET of a login\n",
  "home/.aws/credentials": "SECRET of a cloud\n",
  "home/hidden.txt": "SECRET in a file\n",
  "home/.bashrc": "# start\n",
  "home/.profile": "# start\n",
  "home/.config/fish/config.fish": "# start\n",
  "home/bin/tool": "#!/bin/sh\n",
  "home/.pintle/auth.json": '{"key":"SECRET of a model"}\n',
  "home/.pintle/settings.json": "{}\n",
  "workspace/.env.local": "SECRET of the project\n",
  "workspace/.git/HEAD": "ref: refs/heads/main\n",
  "workspace/.git/config": "[core]\n\trepositoryformatversion = 0\n",
  "workspace/.git/hooks/sample": "#!/bin/sh\n",
  "workspace/.git/objects/info/packs": "\n",
  "workspace/.git/refs/heads/.keep": "",
  "workspace/.git/modules/library/HEAD": "ref: refs/heads/main\n",
  "workspace/.git/modules/library/config": "[core]\n",
  "workspace/.git/modules/library/hooks/sample": "#!/bin/sh\n",
  "workspace/.pintle/settings.json": "{}\n",
};

/** A user's home, a project, and their surroundings, for one attempt. */
export class Arena {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;

  constructor(base: string, workspace: "workspace" | "home" = "workspace") {
    this.root = scratchPath(base);
    this.home = join(this.root, "home");
    this.workspace = join(this.root, workspace);
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), content);
    }
    for (const directory of ["temp", "outside/empty", "home/.cache"]) mkdirSync(join(this.root, directory));
  }

  get pintleDirectory(): string {
    return join(this.home, ".pintle");
  }

  get strengthFile(): string {
    return join(this.pintleDirectory, "sandbox/strength.json");
  }

  policy(): SandboxPolicy {
    return {
      mode: "workspace-write",
      network: "off",
      workspaces: [this.workspace],
      temp: [join(this.root, "temp")],
      write: [join(this.home, ".cache")],
      hide: [
        ...[".ssh", ".aws", ".pintle", "hidden.txt"].map((name) => join(this.home, name)),
        join(this.root, "workspace/.env.local"),
      ],
      home: this.home,
    };
  }

  env(): Record<string, string> {
    return {
      HOME: this.home,
      PINTLE: this.pintleDirectory,
      WS: this.workspace,
      OUT: join(this.root, "outside"),
    };
  }

  /** Returns everything that a command must not change, as text. */
  snapshot(): string[] {
    const isOpen = (path: string) => ["temp", "home/.cache"].includes(path);
    const isGuarded = (path: string) =>
      /^(outside|home)(\/|$)/.test(path) ||
      /^workspace\/(\.pintle|\.git|\.git\/config|\.git\/(modules\/library\/)?commondir|\.git\/(modules\/library\/)?hooks)(\/|$)/.test(
        path,
      );
    const seen = walk(this.root, "", isOpen).filter(({ path }) => isGuarded(path));
    const inHome = this.workspace === this.home ? isStartUpFile : () => true;
    return seen.filter(({ path }) => inHome(path) || path.startsWith("outside")).map(({ facts }) => facts);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function isStartUpFile(path: string): boolean {
  return /^home\/\.(bash|profile|z|gitconfig|inputrc|tcshrc|pintle\/placeholders|ssh|aws|config\/|local)/.test(path);
}

interface Seen {
  path: string;
  facts: string;
}

function walk(root: string, path: string, isOpen: (path: string) => boolean): Seen[] {
  if (isOpen(path)) return [];
  const full = join(root, path);
  const stat = lstatSync(full);
  const mode = stat.mode.toString(8);
  if (stat.isDirectory()) {
    const inside = readdirSync(full)
      .sort()
      .flatMap((name) => walk(root, path === "" ? name : `${path}/${name}`, isOpen));
    return [{ path, facts: `${path} ${mode}` }, ...inside];
  }
  const content = stat.isSymbolicLink() ? readlinkSync(full) : stat.isFile() ? readFileSync(full, "hex") : "";
  return [{ path, facts: `${path} ${mode} ${stat.mtimeMs} ${stat.nlink} ${content}` }];
}
