// The CHANGELOG has a section per version, the newest first, and above them what is not released yet.

const UNRELEASED = "## Unreleased\n";

/**
 * Gives what is unreleased to a version, and leaves an empty section for the next one.
 * @param {string} date YYYY-MM-DD
 */
export function cutChangelog(text, version, date) {
  const at = text.indexOf(UNRELEASED);
  if (at < 0) throw new Error(`CHANGELOG.md has no line "${UNRELEASED.trim()}"`);
  const rest = text.slice(at + UNRELEASED.length);
  if (rest.split(/^## /m)[0].trim() === "") throw new Error("CHANGELOG.md says nothing under Unreleased");
  if (text.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md has a section for ${version} already`);
  return `${text.slice(0, at)}${UNRELEASED}\n## ${version} (${date})\n${rest}`;
}
