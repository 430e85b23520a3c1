import { ALL_GRAMMARS } from "./all-grammars.ts";
import { addGrammars } from "./engine.ts";

addGrammars(ALL_GRAMMARS);

/** The same as in engine.ts, with the grammars of all languages. */
export { highlight, highlightStart } from "./engine.ts";
