import { UrlElicitationRequiredError } from "@modelcontextprotocol/client";

/** Addresses that a person has to open before the request can succeed; undefined if it failed for another reason. */
export function addressesRequiredBy(error: unknown): readonly unknown[] | undefined {
  return error instanceof UrlElicitationRequiredError ? error.elicitations : undefined;
}
