// Prints the grammars that pages load on demand, as JSON by language. The build runs it as a process of its own, because
// highlight.js changes the grammars that it has used.
import { ALL_GRAMMARS } from "./src/all-grammars.ts";
import { COMMON_GRAMMARS } from "./src/common-grammars.ts";
import { encodeGrammar } from "./src/encode-grammar.ts";

const onDemand = Object.entries(ALL_GRAMMARS).filter(([language]) => !(language in COMMON_GRAMMARS));
const encoded = onDemand.map(([language, grammar]) => [language, encodeGrammar(grammar)]);
await Bun.write(Bun.stdout, JSON.stringify(Object.fromEntries(encoded)));
