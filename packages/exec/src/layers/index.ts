export { Layer, type LayerProcess, type LayerRequest, type NewLayer } from "./layer.ts";
export type { LayerChange, LayerChanges } from "./layer-changes.ts";
export { LayerError } from "./layer-error.ts";
export type { LayerStrength } from "./layer-folder.ts";
