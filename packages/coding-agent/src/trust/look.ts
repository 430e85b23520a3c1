// What is loaded for a project that has something to consent to, as one piece.
export { takeInventory } from "./inventory.ts";
export { isSameContent, isUnchanged } from "./recheck.ts";
