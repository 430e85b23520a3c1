/** Bidirectional control characters: they change the visual order of text. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Removes them from a name that people chose, for a title. Joiners for letters and emoji stay. */
export function withoutTurning(name: string): string {
  return name.replace(TURNING, "");
}
