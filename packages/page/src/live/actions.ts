/** An action that is available anywhere on the page: it is listed in the palette, and may have a key. */
export interface PageAction {
  label: string;
  /** Works outside input fields. */
  key?: string;
  /** If absent, always. */
  isOffered?(): boolean;
  act(): void;
}
