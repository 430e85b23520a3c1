// The packages as they would be published, for the system of this machine alone: what a test installs.
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { nameOf, TARGETS, thisMachine } from "../targets.mjs";
import { bundledComponents, nativeComponents } from "./components.mjs";
import { LIBRARIES, stageLibrary } from "./library-packages.mjs";
import { renderNotices } from "./licences.mjs";
import { stageMainPackage } from "./main-package.mjs";
import { packDirectory } from "./pack.mjs";
import { stagePlatformPackage } from "./platform-package.mjs";
import { run } from "./run.mjs";

/** Takes what `npm run build` has made. */
export function packForThisMachine(destination) {
  const target = TARGETS[nameOf(thisMachine())];
  if (!target) throw new Error(`no package is made for ${nameOf(thisMachine())}`);
  rmSync(destination, { recursive: true, force: true });
  const components = bundledComponents();
  const notices = renderNotices([...components, ...nativeComponents(target)]);
  const small = [
    stageMainPackage({ notices: renderNotices(components) }),
    ...LIBRARIES.map((library) => stageLibrary(library, { isBuilt: true })),
  ];
  return [
    ...small.map((directory) => packDirectory(directory, destination)),
    archive(stagePlatformPackage(target, { fromDist: true, notices }), destination),
  ];
}

/** Not compressed, which takes npm many seconds for a program of this size; for npm both are the same. */
function archive(directory, destination) {
  const file = join(destination, `${basename(directory)}.tar`);
  run("tar", ["-cf", file, "-C", dirname(directory), basename(directory)]);
  const paths = readdirSync(directory, { recursive: true }).filter((path) => statSync(join(directory, path)).isFile());
  return { name: `@pintle/${basename(directory).replace("pintle-", "")}`, file, paths };
}
