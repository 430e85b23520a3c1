export { type AstEngine, loadAstEngine, type NapiConfig, type SgNode, type SgRoot } from "./ast-engine.ts";
export { type Parsers, packageOf } from "./ast-parsers.ts";
export { findOwnRipgrep, isUsableVersion } from "./ripgrep.ts";
