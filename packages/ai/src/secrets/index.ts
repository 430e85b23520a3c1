// The only owner of masking: error messages, logs, `doctor`, settings, recordings, traces and exports all use it. Import it
// lazily, because the table of tokens takes milliseconds to build.
export { createRedactor, type Redactor } from "./redact.ts";
export { SECRET_FORMS, type SecretForm } from "./secret-forms.ts";
export { anySecret } from "./secret-spellings.ts";
