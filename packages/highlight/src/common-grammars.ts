import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import shell from "highlight.js/lib/languages/shell";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import type { Grammars } from "./engine.ts";

/** The languages of most code in conversations. Pages include these grammars and load others on demand. */
export const COMMON_GRAMMARS = {
  bash,
  diff,
  javascript,
  json,
  python,
  shell,
  typescript,
  yaml,
} satisfies Grammars;
