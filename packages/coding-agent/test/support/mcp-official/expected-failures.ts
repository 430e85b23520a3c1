const NOT_ASKED = "an extension of the protocol that is not supported";
const ELICITATION = "servers cannot ask the user yet";

/** `suite scenario version` → why it fails. A run that passes must not stand here. */
export const EXPECTED_FAILURES: Readonly<Record<string, string>> = {
  "0.1 auth/2025-03-26-oauth-metadata-backcompat 2025-03-26":
    "its authorization server calls itself by another name than its address, which RFC 8414 forbids; mended in 0.2",
  "0.1 auth/cross-app-access-complete-flow extension": `${NOT_ASKED}: tokens of an identity provider`,
  "0.2 auth/enterprise-managed-authorization extension": `${NOT_ASKED}: tokens of an identity provider`,
  "0.2 auth/dpop extension": `${NOT_ASKED}: tokens that are bound to a key (DPoP)`,
  "0.2 auth/dpop-nonce extension": `${NOT_ASKED}: tokens that are bound to a key (DPoP)`,
  "0.2 auth/wif-jwt-bearer extension": `${NOT_ASKED}: identities of workloads`,
  "0.1 elicitation-sep1034-client-defaults 2025-11-25": ELICITATION,
  "0.2 elicitation-sep1034-client-defaults 2025-11-25": ELICITATION,
  "0.2 sep-2322-client-request-state 2026-07-28": ELICITATION,
};
