// `@pintle/linux-x64` and similar: the program compiled for one system, with its native parts.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileProgram } from "../compile.mjs";
import * as astGrep from "../native/ast-grep.mjs";
import { installedPackage } from "../native/packages.mjs";
import * as ripgrep from "../native/ripgrep.mjs";
import { dist, root } from "../paths.mjs";
import { bunPackage, executable, nameOf, TARGETS } from "../targets.mjs";
import { fetchPackage } from "./fetch-package.mjs";
import { stagePackage } from "./stage.mjs";

export function platformPackageName(target) {
  return `@pintle/${nameOf(target)}`;
}

/** As the manifest of `pintle` requires them. */
export function platformPackageNames() {
  return Object.values(TARGETS).map(platformPackageName);
}

/**
 * @param {import("../targets.mjs").Target} target
 * @param {{ commit?: string, fromDist?: boolean, notices?: string }} options `fromDist`: the program that `npm run build` has
 *   made of these sources is taken instead of compiling it again; only for the system of this machine
 */
export function stagePlatformPackage(target, { commit, fromDist = false, notices } = {}) {
  const { platform, arch, libc } = target;
  const directory = stagePackage(platformPackageName(target), {
    description: `The program of pintle for ${nameOf(target)}; installed by the package pintle.`,
    os: [platform],
    cpu: [arch],
    ...(libc && { libc: [libc] }),
    preferUnplugged: true, // a program cannot be started from inside an archive
  });
  const bin = join(directory, "bin");
  const program = join(bin, executable(target, "pintle"));
  mkdirSync(join(bin, "native"), { recursive: true });
  if (fromDist) {
    copyFileSync(join(dist, executable(target, "pintle")), program);
    cpSync(join(dist, "native"), join(bin, "native"), { recursive: true });
  } else {
    const findPackage = (name) => installedPackage(name) ?? fetchPackage(name);
    compileProgram(program, { target, bun: bunFor(target, fetchPackage), commit });
    astGrep.copyTo(join(bin, "native"), target, findPackage);
    ripgrep.copyTo(join(bin, "native"), target, findPackage);
  }
  chmodSync(program, 0o755);
  if (notices) writeFileSync(join(directory, "THIRD-PARTY-NOTICES.txt"), notices);
  writeFileSync(join(directory, "README.md"), readme(target));
  return directory;
}

/** Returns Bun for a system. Bun's install script moves the binary of the current system into the package `bun`. */
function bunFor(target, fetchPackage) {
  const name = bunPackage(target);
  const installed = installedPackage(name);
  const isMoved = installed && !existsSync(bunIn(installed, target));
  const moved = join(root, "node_modules/bun/bin/bun.exe");
  if (isMoved && existsSync(moved)) return moved;
  const path = bunIn(isMoved || !installed ? fetchPackage(name) : installed, target);
  if (!existsSync(path)) throw new Error(`there is no ${path}`);
  return path;
}

function bunIn(directory, target) {
  return join(directory, "bin", executable(target, "bun"));
}

function readme(target) {
  return `# ${platformPackageName(target)}\n\nThe compiled program of the package "pintle" and its native parts. \`npm install pintle\` installs it\nwhere it fits; nothing else needs it.\n`;
}
