// Prepares a release without publishing it. `--help` lists the options, docs/contributing.md describes the procedure.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ensureInstalled } from "./ensure.mjs";
import { root } from "./paths.mjs";
import { cutChangelog } from "./release/changelog.mjs";
import { checkContents } from "./release/check-contents.mjs";
import { renderChecksums } from "./release/checksums.mjs";
import { bundledComponents, nativeComponents } from "./release/components.mjs";
import { LIBRARIES, stageLibrary } from "./release/library-packages.mjs";
import { checkLicences, renderNotices } from "./release/licences.mjs";
import { stageMainPackage } from "./release/main-package.mjs";
import { HELP, readOptions } from "./release/options.mjs";
import { packDirectory, RELEASE } from "./release/pack.mjs";
import { stagePlatformPackage } from "./release/platform-package.mjs";
import { checkPython, packPython, programOf } from "./release/python-package.mjs";
import { breaksSinceRelease, protocolVersion, renewReleasedWire } from "./release/released-wire.mjs";
import { renderSbom } from "./release/sbom.mjs";
import { nextVersion, readVersion, setVersion, strayVersions } from "./release/versions.mjs";
import { TARGETS } from "./targets.mjs";

const CHANGELOG = join(root, "CHANGELOG.md");

async function release(options) {
  if (options.help) return console.log(HELP);
  if (options["renew-wire"]) return renewReleasedWire();
  await ensureInstalled();
  const current = readVersion();
  const version = options.bump ? nextVersion(current, options.bump) : current;
  const changelog = options.bump ? cutChangelog(readFileSync(CHANGELOG, "utf8"), version, today()) : undefined;
  const components = step("Collecting third-party components", bundledComponents);
  const native = options.targets.flatMap((name) => nativeComponents(TARGETS[name]));
  stopOn("versions", strayVersions());
  stopOn("licences", checkLicences([...components, ...native]));
  stopOn(`the wire: protocol version ${protocolVersion()} breaks hosts of the last release`, breaksSinceRelease());
  if (options["dry-run"]) return announce(version, options.targets);

  if (options.bump) {
    setVersion(version);
    writeFileSync(CHANGELOG, changelog);
    renewReleasedWire();
  }
  rmSync(RELEASE, { recursive: true, force: true });
  const commit = gitCommit();
  const programs = [];
  const packed = [
    step("pintle", () => packDirectory(stageMainPackage({ notices: renderNotices(components) }))),
    ...LIBRARIES.map((library) => step(library.folder, () => packDirectory(stageLibrary(library)))),
    ...options.targets.map((name) =>
      step(`@pintle/${name}`, () => {
        const notices = renderNotices([...components, ...nativeComponents(TARGETS[name])]);
        const directory = stagePlatformPackage(TARGETS[name], { commit, notices });
        programs.push(programOf(name, directory));
        return packDirectory(directory);
      }),
    ),
  ];
  const python = step("pintle for Python", () => packPython(RELEASE, { programs }));
  stopOn("contents", [...packed.flatMap(checkContents), ...python.flatMap(checkPython)]);
  const sbom = join(RELEASE, `pintle-${version}.cdx.json`);
  writeFileSync(sbom, `${JSON.stringify(renderSbom(version, [...components, ...native]), undefined, 2)}\n`);
  writeFileSync(
    join(RELEASE, "SHA256SUMS"),
    renderChecksums([...[...packed, ...python].map(({ file }) => file), sbom]),
  );
  for (const { file, size, unpackedSize } of packed)
    console.log(`${basename(file).padEnd(36)} ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked`);
  console.log(`\nMade dist/release, ${packed.length} packages of version ${version}. Nothing was published.`);
  console.log(
    "Programs for other systems were not run and are untested; see docs/install.md. To publish, the platforms first:",
  );
  const [main, ...others] = packed;
  for (const { file } of [...others, main]) console.log(`  npm publish --access public dist/release/${basename(file)}`);
  console.log(`  twine upload ${python.map(({ file }) => `dist/release/${basename(file)}`).join(" ")}`);
}

/** Prints the current step and how long it took. */
function step(what, work) {
  process.stderr.write(`${what} … `);
  const startedAt = performance.now();
  const result = work();
  process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  return result;
}

function stopOn(what, complaints) {
  if (complaints.length > 0) throw new Error(`${what}\n${complaints.map((line) => `  ${line}`).join("\n")}`);
}

function announce(version, targets) {
  console.log(`Would make version ${version}: pintle, ${LIBRARIES.map(({ folder }) => folder).join(", ")}`);
  for (const name of targets) console.log(`  @pintle/${name}`);
}

function gitCommit() {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined; // sources without their history
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

try {
  await release(readOptions(process.argv.slice(2)));
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}
