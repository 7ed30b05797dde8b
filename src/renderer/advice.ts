// Owns what to do about an error, in a sentence and with the place to do it. Knows nothing of how errors come about.

export interface Advice {
  text: string
  /** Where in this window to act; null when the change is in the caller. */
  to: { href: string; label: string } | null
}

const keys = { href: '/keys', label: 'Open Keys' }
const connect = { href: '/connect', label: 'Open Connect' }
const models = { href: '/models', label: 'Open Models' }
const providers = { href: '/providers', label: 'Open Providers' }
const settings = { href: '/settings', label: 'Open Settings' }

const byCode: ReadonlyMap<string, Advice> = new Map(
  Object.entries<Advice>({
    spend_limit_reached: { text: 'The next request goes through once the cap is raised.', to: keys },
    spend_reserved: {
      text: 'Requests still running hold the rest of this key’s cap. Wait for them to end, or raise the cap.',
      to: keys,
    },
    account_limit_reached: {
      text: 'The monthly limit is reached. Raise it, or wait for the next month.',
      to: settings,
    },
    upstream_credential: {
      text: 'The provider refused our credential, or it is missing. Replace the credential and test it.',
      to: providers,
    },
    model_unpriced: {
      text: 'Without a price no cap can be kept. Set the price of this model.',
      to: models,
    },
    provider_disabled: {
      text: 'The provider of this model is turned off. Turn it on, or use another model.',
      to: providers,
    },
    model_disabled: {
      text: 'This model is turned off. Turn it on, or use another one.',
      to: { href: '/models', label: 'Open Models' },
    },
    endpoint_not_found: {
      text: 'Check the base URL in the tool, and that it is set to OpenAI’s chat completions. Connect has what to enter.',
      to: connect,
    },
    method_not_allowed: {
      text: 'Check the base URL in the tool. Connect has what to enter.',
      to: connect,
    },
    idempotency_key_reused: {
      text: 'The same Idempotency-Key came with another body. Use a new one.',
      to: null,
    },
  }),
)

const byType: ReadonlyMap<string, Advice> = new Map(
  Object.entries<Advice>({
    authentication_error: {
      text: 'Check that the tool sends a key of this gateway that is not revoked.',
      to: keys,
    },
    permission_error: {
      text: 'The scope of this key does not allow the call. Use a key with a wider scope.',
      to: keys,
    },
    insufficient_quota: { text: 'A cap or limit is reached. Raise it to go on.', to: keys },
    rate_limit_exceeded: {
      text: 'Too much in a minute. Wait a little, or raise the limit: a key’s under Keys, the plan’s in Settings.',
      to: keys,
    },
    not_found_error: { text: 'Check the name of the model, and that its provider is set up.', to: providers },
    invalid_request_error: {
      text: 'The request itself has to change; trying again will not help.',
      to: null,
    },
    upstream_error: {
      text: 'The provider failed after our retries. Try again, or test the provider.',
      to: providers,
    },
    connection_error: { text: 'Check that the gateway is running.', to: null },
  }),
)

/** Advice for an error; null when there is nothing to say beyond its message. */
export function adviceFor(error: { type: string; code?: string | null | undefined }): Advice | null {
  return (error.code && byCode.get(error.code)) || byType.get(error.type) || null
}
