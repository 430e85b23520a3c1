import type { ToolAccess } from "../define-tool.ts";
import { pathOf, searchedRoot } from "../shared/access.ts";
import { splitPathList } from "./path-list.ts";

/** Where each of the names is looked for. */
export const READS_PATH_LIST: ToolAccess = {
  kind: "read",
  paths: (args) => splitPathList(pathOf(args)).map(searchedRoot),
};
