/** Something that the user can do anywhere on the page: it is listed in the palette, and may have a key. */
export interface PageAction {
  label: string;
  /** Works outside of fields. */
  key?: string;
  /** Absent means always. */
  isOffered?(): boolean;
  act(): void;
}
