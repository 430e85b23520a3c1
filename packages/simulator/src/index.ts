export { type RecordedLine, scenarioFrom } from "./from-frames.ts";
export { Player, type Stage } from "./player.ts";
export { readScenario, type Scenario } from "./scenario.ts";
export { SCENARIOS } from "./scenarios/all-scenarios.ts";
