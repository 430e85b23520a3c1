export { probeStrength, usualBubblewrap } from "./probe.ts";
export { Sandbox } from "./sandbox.ts";
