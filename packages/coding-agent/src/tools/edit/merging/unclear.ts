/** The place is known, but not what the new text would be in the file's own style. */
export class Unclear extends Error {}
