// Loaded only for a project with content that needs consent.
export { takeInventory } from "./inventory.ts";
export { isSameContent, isUnchanged } from "./recheck.ts";
