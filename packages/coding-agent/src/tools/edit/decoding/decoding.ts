export interface TextPair {
  oldText: string;
  newText: string;
}

export interface DecodedPair {
  oldText: string;
  /** Missing when it cannot be read with certainty. */
  newText?: string;
}

/** A way in which models spoil both texts of an edit. */
export interface Decoding {
  /** For the result: "without line numbers". */
  told: string;
  /** The old text begins at the beginning of a line. */
  isWholeLines?: boolean;
  /** What was meant; undefined if the old text does not look like it. */
  decode(pair: TextPair): DecodedPair | undefined;
}
