import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { declareTool } from "./define-tool.ts";
import { READS_PATH } from "./shared/access.ts";
import type { Truncation } from "./shared/truncate.ts";

export interface ReadDetails {
  kind: "text" | "image" | "directory" | "notebook";
  mimeType?: string;
  truncation?: Truncation;
}

function parameters() {
  return Type.Object({
    path: Type.String(),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "first line, from 1" })),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    lineNumbers: Type.Optional(Type.Boolean()),
  });
}

export type ReadArguments = Static<ReturnType<typeof parameters>>;

export const readTool = declareTool({
  name: "read",
  label: "Read",
  description:
    "Read a text file, an image, a notebook or a directory. A long file is cut; the result says how to go on.",
  parameters,
  access: READS_PATH,
  files: "reads",
  keepsOutput: true,
  load: () => import("./read/execute-read.ts"),
});
