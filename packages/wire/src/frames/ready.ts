import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { SandboxStatusSchema } from "../data/sandbox-status.ts";
import { CHUNKED_PROTOCOL_VERSION, PROTOCOL_VERSION } from "../protocol-version.ts";
import { oneOf } from "../words.ts";

export const ReadySchema = Type.Object(
  {
    type: Type.Literal("ready"),
    version: Type.String({ description: "the program's version" }),
    protocolVersion: Type.Literal(PROTOCOL_VERSION),
    supportedProtocolVersions: Type.Array(
      Type.Union([Type.Literal(PROTOCOL_VERSION), Type.Literal(CHUNKED_PROTOCOL_VERSION)]),
    ),
    maxFrameBytes: Type.Optional(
      Type.Integer({ description: "dialect `omp`: longer lines are sent in chunks, once version 2 was negotiated" }),
    ),
    maxReassembledFrameBytes: Type.Optional(
      Type.Integer({ description: "dialect `omp`: lines longer than this are not sent in chunks" }),
    ),
    sessionId: Type.String(),
    sessionFile: Type.Optional(Type.String({ description: "absolute path; absent if nothing is stored" })),
    trust: oneOf(["none", "trusted", "withheld"], {
      description: "project code: there is none, it may run, or it is withheld",
    }),
    sandbox: SandboxStatusSchema,
    capabilities: Type.Array(Type.String(), { description: "what this server can do beyond the oldest clients" }),
  },
  { description: "The first line, once." },
);
/** The first line of every connection. */
export type ReadyFrame = Static<typeof ReadySchema>;
