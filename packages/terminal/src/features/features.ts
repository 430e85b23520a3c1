import type { Feature } from "../app.ts";
import { conversation } from "./conversation.ts";
import { leaving } from "./leaving.ts";
import { sending } from "./sending.ts";

/** In the order in which they are installed; a later one that binds the same action replaces the earlier one. */
export const FEATURES: readonly Feature[] = [conversation, sending, leaving];
