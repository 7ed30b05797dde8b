/**
 * Tollgate's own keys and the providers' keys. In a JSON string, an escape such as `\n` can come right before a key: its
 * letter must not hide the start of the key.
 */
const SECRETS = /(?<=\\[bfnrt]|\b)(?:(?:tg|sk|pk|rk|gsk|xai|hf|nvapi|pplx|csk)[-_]|AIza)[\w-]{16,}/g

/** Replaces everything that looks like an API key by "…". Takes plain text or JSON. */
export function redactSecrets(text: string): string {
  return text.replaceAll(SECRETS, '…')
}
