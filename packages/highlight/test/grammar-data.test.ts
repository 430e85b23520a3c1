import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import hljs from "highlight.js/lib/core";
import { ALL_GRAMMARS } from "../src/all-grammars.ts";
import { encodeGrammar } from "../src/encode-grammar.ts";
import { decodeGrammar, type GrammarData } from "../src/grammar-data.ts";
import { languageByName } from "../src/languages.ts";

const SCRIPT = fileURLToPath(import.meta.resolve("../print-grammars.ts"));
const GRAMMARS: Record<string, GrammarData> = JSON.parse(Bun.spawnSync([process.execPath, SCRIPT]).stdout.toString());

/** Uses functions in grammars, and parts that languages share. */
const CODE = `#!/bin/x
/* a */ // b
# c
-- d
class A<T> extends B { fn main() -> i64 { return 0x1f + 1.5e3; } }
R"x(raw)x" r"---(a)---" \\begin{verbatim}x\\end{verbatim} \\verb|x|
$a = <<<EOT
it's $b
EOT;
$c = <<<'EOT'
EOT;
def x = "\${y}" :atom @tag %w[a b] 'c'
#!/bin/x
if (true && null) { foo(bar); } else begin end
`;

test.each(Object.entries(GRAMMARS))("the grammar of %s is the same as data", (name, data) => {
  const language = languageByName(name)!;
  const [original, copy] = [hljs.newInstance(), hljs.newInstance()];
  original.registerLanguage(language, ALL_GRAMMARS[language]);
  copy.registerLanguage(language, decodeGrammar(data));
  for (let at = 0; at < CODE.length; at += 1) {
    const code = CODE.slice(at);
    expect(copy.highlight(code, { language }).value).toBe(original.highlight(code, { language }).value);
  }
});

test("refuses a grammar that was used before, and a function that it does not know", () => {
  expect(() => encodeGrammar(() => ({ contains: [], isCompiled: true }))).toThrow("already been used");
  expect(() => encodeGrammar(() => ({ contains: [], "on:begin": () => alert() }))).toThrow("No name for this function");
});

test("refuses data that refers to nothing", () => {
  expect(() => decodeGrammar({ nodes: [{ contains: { node: 7 } }], frozen: [] })).toThrow("damaged");
});
