import { UrlElicitationRequiredError } from "@modelcontextprotocol/client";

/** Returns the addresses that the user must open before the request can succeed, or undefined if it failed for another reason. */
export function addressesRequiredBy(error: unknown): readonly unknown[] | undefined {
  return error instanceof UrlElicitationRequiredError ? error.elicitations : undefined;
}
