import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { ServerLimitsSchema } from "../data/server-state.ts";
import { PROTOCOL_VERSION } from "../protocol-version.ts";

export const ServerReadySchema = Type.Object(
  {
    type: Type.Literal("server_ready"),
    version: Type.String({ description: "the program's version" }),
    protocolVersion: Type.Literal(PROTOCOL_VERSION),
    epoch: Type.String({ description: "the epoch of all cursors that this server issues; it changes with each start" }),
    capabilities: Type.Array(Type.String(), { description: "what the server and its sessions can do" }),
    limits: ServerLimitsSchema,
    node: Type.Optional(Type.String({ description: "this server's name among those that share its sessions" })),
  },
  { description: "The first frame of a gateway on every connection." },
);
/** The first frame of a gateway. */
export type ServerReadyFrame = Static<typeof ServerReadySchema>;
