// CHANGELOG.md follows Keep a Changelog: a section per version, newest first, below the one for unreleased changes.

const UNRELEASED = "## Unreleased\n";

/**
 * Moves the unreleased entries to a section for the version, and leaves an empty one for the next release.
 * @param {string} date YYYY-MM-DD
 */
export function cutChangelog(text, version, date) {
  const at = text.indexOf(UNRELEASED);
  if (at < 0) throw new Error(`CHANGELOG.md has no line "${UNRELEASED.trim()}"`);
  const rest = text.slice(at + UNRELEASED.length);
  if (rest.split(/^## /m)[0].trim() === "") throw new Error("CHANGELOG.md has no entries under Unreleased");
  if (text.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md already has a section for ${version}`);
  return `${text.slice(0, at)}${UNRELEASED}\n## ${version} - ${date}\n${rest}`;
}
