// The licenses that components may have, and the file that contains them.

const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"];

/**
 * @param {import("./components.mjs").Component[]} components
 * @returns {string[]} problems
 */
export function checkLicences(components) {
  return components.flatMap(({ name, version, license, text }) => [
    ...(ALLOWED.includes(license)
      ? []
      : [`${name}@${version}: licence ${license ?? "unknown"} is not among ${ALLOWED.join(", ")}`]),
    ...(text ? [] : [`${name}@${version}: does not contain the text of its licence`]),
  ]);
}

/** @param {import("./components.mjs").Component[]} components */
export function renderNotices(components) {
  const head = "pintle contains third-party software. Names, versions, licences and notices:";
  const list = components.map(({ name, version, license }) => `  ${name} ${version} (${license})`).join("\n");
  const texts = components.map(
    ({ name, version, text }) => `${"-".repeat(80)}\n${name} ${version}\n${"-".repeat(80)}\n\n${text.trim()}\n`,
  );
  return `${head}\n\n${list}\n\n${texts.join("\n")}`;
}
