import { protocolSchema } from "@pintle/wire/schemas";
import { jsonText } from "./json-text.ts";

/** docs/protocol.schema.json. */
export const renderProtocolSchema = (): string => `${jsonText(protocolSchema())}\n`;
