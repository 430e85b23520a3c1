import { parseArgs } from "node:util";
import { TARGETS } from "../targets.mjs";

export const HELP = `node scripts/release.mjs [options]

Makes the packages of a release in dist/release: builds the program for every system, packs, checks, and stops there. Nothing is
published, committed or tagged.

  --bump LEVEL    first raise the version: major, minor, patch, or the version itself. Writes all package.json, the lockfile,
                  CHANGELOG.md and docs/released; without it the version stays
  --only TARGET   build for this system only; may be repeated. One of ${Object.keys(TARGETS).join(", ")}
  --dry-run       check everything that can be checked without building, say what would be made, write nothing
  --renew-wire    take the current docs/protocol.schema.json as the released one, and nothing else: for a change of frames
                  that no release ever had
  --help          this text
`;

/** Throws errors meant for the user. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      bump: { type: "string" },
      only: { type: "string", multiple: true },
      "dry-run": { type: "boolean", default: false },
      "renew-wire": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const unknown = (values.only ?? []).find((name) => !TARGETS[name]);
  if (unknown !== undefined) throw new Error(`--only ${unknown}: not one of ${Object.keys(TARGETS).join(", ")}`);
  return { ...values, targets: values.only ?? Object.keys(TARGETS) };
}
