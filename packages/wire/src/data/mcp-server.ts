import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

export const McpServerStatusSchema = Type.Object({
  name: Type.String(),
  transport: oneOf(["stdio", "http", "sse"]),
  file: Type.String({ description: "the file that configures it; empty if the host does" }),
  source: Type.Optional(oneOf(["file", "host"])),
  status: Type.Union([
    Type.Literal("connecting"),
    Type.Literal("connected"),
    Type.Literal("failed", { description: "it could not be reached; `reload_mcp` retries" }),
    Type.Literal("ended", { description: "the connection was lost; the next call of one of its tools reconnects" }),
    Type.Literal("stopped", { description: "it is no longer configured" }),
  ]),
  tools: Type.Integer({ description: "how many of its tools are offered" }),
  error: Type.Optional(Type.String()),
});
export type McpServerStatus = Static<typeof McpServerStatusSchema>;

/** A server of the host, with the fields of an entry in `mcp.json`. */
export const McpServerDefinitionSchema = Type.Object({
  name: Type.String(),
  type: Type.Optional(oneOf(["stdio", "http", "sse"])),
  command: Type.Optional(Type.String()),
  args: Type.Optional(Type.Array(Type.String())),
  env: Type.Optional(Type.Record(Type.String(), Type.String())),
  cwd: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  timeout: Type.Optional(Type.Integer({ description: "milliseconds" })),
});
export type McpServerDefinition = Static<typeof McpServerDefinitionSchema>;
