import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { SandboxStatusSchema } from "../data/sandbox-status.ts";
import { PROTOCOL_VERSION } from "../protocol-version.ts";
import { oneOf } from "../words.ts";

export const ReadySchema = Type.Object(
  {
    type: Type.Literal("ready"),
    version: Type.String({ description: "of the program" }),
    protocolVersion: Type.Literal(PROTOCOL_VERSION),
    supportedProtocolVersions: Type.Unsafe<[typeof PROTOCOL_VERSION]>(Type.Array(Type.Literal(PROTOCOL_VERSION))),
    sessionId: Type.String(),
    sessionFile: Type.Optional(Type.String({ description: "absolute path; absent when nothing is stored" })),
    trust: oneOf(["none", "trusted", "withheld"], {
      description: "code of the project: there is none, it may run, or it is held back",
    }),
    sandbox: SandboxStatusSchema,
    capabilities: Type.Array(Type.String(), { description: "what this server can do beyond the oldest clients" }),
  },
  { description: "The first line, once." },
);
/** The first line of every connection. */
export type ReadyFrame = Static<typeof ReadySchema>;
