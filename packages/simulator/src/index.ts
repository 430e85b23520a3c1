export { type RecordedLine, scenarioFrom } from "./from-frames.ts";
export { type GatewayConnection, SimulatedGateway } from "./gateway/simulated-gateway.ts";
export { Player, type Stage } from "./player.ts";
export { needsGateway, readScenario, type Scenario } from "./scenario.ts";
export { SCENARIOS } from "./scenarios/all-scenarios.ts";
