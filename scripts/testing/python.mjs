// The Python versions that run the tests of python/: the one on the PATH, and for a part of them the oldest supported
// one.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const OLDEST = "3.9";
/** Tests that also run with the oldest version: they cover every module. */
const IN_SHORT = /test_(parts|sync|syntax)\.py$/;

/** @param {import("./test-files.mjs").Group} group */
export function pythonGroups(group) {
  if (group.runner !== "python") return [group];
  // Evaluated when the group is about to run, because it may be installed until then.
  const missing = () => (versionOf("python3") === undefined ? "python3 is not installed" : undefined);
  const files = group.files.filter((file) => IN_SHORT.test(file));
  const oldest = versionOf("python3") === OLDEST ? undefined : oldestPython();
  if (oldest === undefined || files.length === 0) return [{ ...group, missing }];
  return [
    { ...group, missing },
    { ...group, name: `python ${OLDEST}`, python: oldest, files },
  ];
}

/** On the PATH, or installed by pyenv without being on it. */
function oldestPython() {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  const installed = entriesOf(versions)
    .filter((name) => name.startsWith(`${OLDEST}.`))
    .map((name) => join(versions, name, "bin", "python"));
  return [`python${OLDEST}`, ...installed].find((command) => versionOf(command) === OLDEST);
}

function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

function versionOf(command) {
  const { status, stdout } = spawnSync(command, ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"], {
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : undefined;
}
