import type { ToolAccess } from "../define-tool.ts";
import { pathOf } from "../shared/access.ts";
import { splitPathList } from "./path-list.ts";

/** The directory above the first wildcard of each name. */
export const READS_PATH_LIST: ToolAccess = {
  kind: "read",
  paths: (args) => splitPathList(pathOf(args)).map((name) => name.replace(/(?:^|[^/]*)[*?[{].*$/s, "") || "."),
};
