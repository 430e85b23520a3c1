// The packages as they would be published, for this machine only: what the tests install.
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

/** Uses the output of `npm run build`. */
export function packForThisMachine(destination) {
  const target = TARGETS[nameOf(thisMachine())];
  if (!target) throw new Error(`there is no package for ${nameOf(thisMachine())}`);
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

/** Uncompressed, because compression takes npm many seconds for a program of this size; npm accepts both. */
function archive(directory, destination) {
  const file = join(destination, `${basename(directory)}.tar`);
  run("tar", ["-cf", file, "-C", dirname(directory), basename(directory)]);
  const paths = readdirSync(directory, { recursive: true }).filter((path) => statSync(join(directory, path)).isFile());
  return { name: `@pintle/${basename(directory).replace("pintle-", "")}`, file, paths };
}
