interface Match extends Array<string> {
  index: number;
}

interface Response {
  data: { _beginMatch?: string | undefined };
  ignoreMatch(): void;
}

/**
 * The decisions of a grammar that need code. Encoded as data, a grammar names these functions instead of containing
 * code.
 */
export const GRAMMAR_FUNCTIONS = {
  onlyAtStart(match: Match, response: Response): void {
    if (match.index !== 0) response.ignoreMatch();
  },
  rememberFirst({ 1: begin }: Match, { data }: Response): void {
    data._beginMatch = begin;
  },
  rememberEither({ 1: quoted, 2: plain }: Match, { data }: Response): void {
    data._beginMatch = quoted || plain;
  },
  onlyIfRemembered({ 1: end }: Match, response: Response): void {
    if (response.data._beginMatch !== end) response.ignoreMatch();
  },
};

export type GrammarFunction = keyof typeof GRAMMAR_FUNCTIONS;
