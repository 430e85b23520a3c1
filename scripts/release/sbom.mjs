// A bill of materials in the format CycloneDX 1.6: every third-party package in a released program.

/**
 * @param {string} version of pintle
 * @param {import("./components.mjs").Component[]} components
 */
export function renderSbom(version, components) {
  const root = purl("pintle", version);
  const rows = [...new Map(components.map((component) => [purl(component.name, component.version), component]))];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": root, name: "pintle", version, purl: root } },
    components: rows
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([ref, { name, version: number, license, integrity }]) => ({
        type: "library",
        "bom-ref": ref,
        name,
        version: number,
        purl: ref,
        licenses: [{ license: { id: license } }],
        ...(integrity && { hashes: [hash(integrity)] }),
      })),
    dependencies: [{ ref: root, dependsOn: rows.map(([ref]) => ref).sort() }],
  };
}

function purl(name, version) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Converts npm's format (`sha512-BASE64`) to CycloneDX's. */
function hash(integrity) {
  const [algorithm, value] = integrity.split("-");
  return { alg: algorithm.toUpperCase().replace("SHA", "SHA-"), content: Buffer.from(value, "base64").toString("hex") };
}
