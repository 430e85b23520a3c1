// Finds tests that passed without an assertion, in the JUnit report of `bun test`.

const PASSED_CASE = /<testcase ([^>]*)\/>/g;
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&" };

/** @returns {import("./test-output.mjs").Failure[]} */
export function withoutAssertion(xml) {
  return [...xml.matchAll(PASSED_CASE)]
    .map(
      ([, attributes]) =>
        (name) =>
          attribute(attributes, name),
    )
    .filter((read) => read("assertions") === "0")
    .map((read) => ({
      file: read("file"),
      // The report names the innermost group first.
      name: [...read("classname").split(" > ").reverse(), read("name")].filter((part) => part !== "").join(" > "),
      text: "It has no assertion, so it cannot fail.",
    }));
}

function attribute(text, name) {
  const [, value = ""] = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text) ?? [];
  return value.replace(/&(?:\w+|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
