export { type ServeAcpOptions, serveAcp } from "./serve-acp.ts";
