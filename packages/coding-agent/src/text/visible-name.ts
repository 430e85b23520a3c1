import { cutText } from "@pintle/ai";

const MAX_LENGTH = 200;

/** A path from a project on a line of a terminal or a dialog: nothing in it moves the cursor, turns the text or hides. */
export function visiblePath(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, "?");
}

/** The same with an end, for a name. */
export function visibleName(name: string): string {
  return cutText(visiblePath(name), MAX_LENGTH);
}

/** Bidirectional controls: they make a part of a text appear elsewhere than it is. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name that people chose, in any script, for a title: joiners of letters and emoji stay. */
export function withoutTurning(name: string): string {
  return name.replace(TURNING, "");
}
