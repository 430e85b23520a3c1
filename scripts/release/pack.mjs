import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { dist } from "../paths.mjs";
import { run } from "./run.mjs";

export const RELEASE = join(dist, "release");

/** Creates the archive that npm would publish for a staged package. */
export function packDirectory(directory, destination = RELEASE) {
  mkdirSync(destination, { recursive: true });
  const args = ["pack", "--json", "--silent", "--ignore-scripts", "--pack-destination", destination];
  const [{ name, version, filename, files, unpackedSize, size }] = JSON.parse(run("npm", args, { cwd: directory }));
  const paths = files.map(({ path }) => path).sort();
  return {
    name,
    version,
    file: join(destination, filename.replace("@", "").replace("/", "-")),
    paths,
    unpackedSize,
    size,
  };
}
