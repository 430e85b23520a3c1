import type { Model, ThinkingLevel } from "@pintle/ai";
import type { ExtensionContext } from "./extension-types.ts";

/** A request to be routed. */
export interface RouteRequest {
  /** The virtual model that was selected. */
  model: Model;
  thinkingLevel: ThinkingLevel;
  /** `user` if the newest message is from the user. */
  reason: "user" | "continuation";
  /** The model of the newest successful answer. */
  previous?: { model: Model };
  /** What the route last returned on this branch of the session. */
  state?: unknown;
  messages: readonly unknown[];
  signal: AbortSignal;
}

/** A model that can be selected like any other and routes each request to another model. */
export interface VirtualModel {
  /** Must not be a provider that has models of its own. */
  provider: string;
  id: string;
  name: string;
  thinkingLevels?: readonly ThinkingLevel[];
  contextWindow?: number;
  maxTokens?: number;
  input?: readonly ("text" | "image")[];
  route(request: RouteRequest, ctx: ExtensionContext): Route | Promise<Route>;
}

interface Route {
  model: Model;
  thinkingLevel?: ThinkingLevel;
  /** Stored with the session unless it is undefined or the same as `request.state`. */
  state?: unknown;
}
