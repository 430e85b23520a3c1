import { highlight, loadGrammars } from "@pintle/highlight/page-highlighter";

export { highlight, loadGrammars };
