/** The parsed fragment of the address. It never leaves the browser. */
export interface Place {
  token?: string;
  session?: string;
  /** The entry of the session to which the link leads. */
  entry?: string;
}

const KEY = "pintle-token";

export function readPlace(hash: string): Place {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const [token, session, entry] = [fields.get("token"), fields.get("session"), fields.get("entry")];
  return { ...(token && { token }), ...(session && { session }), ...(entry && { entry }) };
}

export function placeHash(place: Place): string {
  const fields = new URLSearchParams({ ...place });
  return fields.size === 0 ? "" : `#${fields}`;
}

/**
 * Moves the token from the address, where a history, a screenshot or a copied link would keep it, to the browser's storage for
 * this origin. Other tabs with the same origin find it there; pages of other origins cannot read it.
 */
export function takeToken(): string | undefined {
  const { token, ...place } = readPlace(location.hash);
  if (token !== undefined) {
    keepToken(token);
    history.replaceState(history.state, "", `${location.pathname}${placeHash(place)}`);
  }
  return token ?? keptToken();
}

export function keepToken(token: string): void {
  try {
    localStorage.setItem(KEY, token);
  } catch {
    // storage is not allowed here, so a reload asks for it again
  }
}

/** Until the printed address is opened again, this browser has no access. */
export function forgetToken(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // storage is not allowed here, so nothing is stored
  }
}

function keptToken(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
