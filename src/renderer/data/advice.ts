export interface Advice {
  text: string
  /** The view in which to act; null when the caller has to change something. */
  to: { href: string; label: string } | null
}

const keys = { href: '/keys', label: 'Open Keys' }
const connect = { href: '/connect', label: 'Open Connect' }
const models = { href: '/models', label: 'Open Models' }
const providers = { href: '/providers', label: 'Open Providers' }
const monthlyLimit = { href: '/settings#monthly-limit', label: 'Raise the monthly limit' }

const byCode: ReadonlyMap<string, Advice> = new Map(
  Object.entries<Advice>({
    spend_limit_reached: {
      text: 'The cap or another limit of this key is reached, or leaves too little for this request. Raise it to allow further requests.',
      to: keys,
    },
    spend_reserved: {
      text: 'Running requests have reserved the rest of a cap or limit. Wait for them to finish, or raise it.',
      to: keys,
    },
    spend_held: {
      text: 'The rest of a cap or limit is reserved for requests without an answer, which their provider may still bill. Settle or release them, or raise the limit.',
      to: { href: '/requests?costStatus=unsettled', label: 'Open them' },
    },
    account_limit_reached: {
      text: 'A limit of all keys together is reached. Raise it, or wait until it resets.',
      to: monthlyLimit,
    },
    key_paused: { text: 'The key is paused. Keys shows the reason, and can resume it.', to: keys },
    key_expired: {
      text: 'The end date of this key has passed. Set a later one, or use another key.',
      to: keys,
    },
    model_not_allowed: {
      text: 'This key is restricted to other models. Allow this one in the key, or use another key.',
      to: keys,
    },
    paused: { text: 'Everything is paused. Choose Resume in the banner at the top.', to: null },
    upstream_credential: {
      text: 'The provider’s credential is missing or was rejected. Replace and test it.',
      to: providers,
    },
    model_unpriced: {
      text: 'A cap cannot be enforced without a price. Set the price of what the message names, leave it out, or use a key without a cap.',
      to: models,
    },
    provider_disabled: {
      text: 'The provider of this model is disabled. Enable it, or use another model.',
      to: providers,
    },
    model_disabled: {
      text: 'This model is disabled. Enable it, or use another one.',
      to: { href: '/models', label: 'Open Models' },
    },
    endpoint_not_found: {
      text: 'Check the base URL in the tool, and that it uses the OpenAI chat completions API. Connect shows what to enter.',
      to: connect,
    },
    method_not_allowed: {
      text: 'Check the base URL in the tool. Connect shows what to enter.',
      to: connect,
    },
    key_rate_limit: {
      text: 'The key’s limit of requests or tokens per minute is reached. Wait a moment, or raise it.',
      to: keys,
    },
    plan_rate_limit: {
      text: 'All keys together share a limit of requests and tokens per minute. Wait a moment, or raise it.',
      to: { href: '/settings#requests-per-minute', label: 'Change the limit' },
    },
    idempotency_key_reused: {
      text: 'The Idempotency-Key was already used with a different body. Use a new one.',
      to: null,
    },
  }),
)

const byType: ReadonlyMap<string, Advice> = new Map(
  Object.entries<Advice>({
    authentication_error: {
      text: 'Check that the tool sends a key of this gateway, and that the key is not revoked.',
      to: keys,
    },
    permission_error: {
      text: 'The scope of this key does not allow the request. Use a key with a wider scope.',
      to: keys,
    },
    insufficient_quota: { text: 'A cap or limit is reached. Raise it to continue.', to: keys },
    rate_limit_exceeded: {
      text: 'Too many requests or tokens per minute. Wait a moment, or raise the limit.',
      to: keys,
    },
    not_found_error: { text: 'Check the name of the model, and that its provider is set up.', to: models },
    invalid_request_error: {
      text: 'Change the request; retrying it will not help.',
      to: null,
    },
    upstream_error: {
      text: 'The provider failed, and so did the retries. Try again, or test the provider.',
      to: providers,
    },
    connection_error: { text: 'Check that the gateway is running.', to: null },
  }),
)

/** Codes of errors whose remedy is a change of the key itself. */
const ABOUT_KEY: ReadonlySet<string> = new Set(['key_paused', 'key_expired', 'model_not_allowed'])

interface FailedRequest {
  /** Its key, if that can be edited. */
  keyId: string | null
  /** The model that it asked for. */
  model: string | null
}

/** Advice for the user about an error; null if there is nothing beyond its message. */
export function adviceFor(
  error: { type: string; code?: string | null | undefined },
  { keyId, model }: FailedRequest = { keyId: null, model: null },
): Advice | null {
  const advice = (error.code && byCode.get(error.code)) || byType.get(error.type) || null
  if (advice === null) return null
  const { code } = error
  if (code === 'model_unpriced' && model !== null) {
    return { ...advice, to: { href: `/models?edit=${encodeURIComponent(model)}`, label: 'Set its price' } }
  }
  if (code && keyId !== null && ABOUT_KEY.has(code)) {
    return { ...advice, to: { href: `/keys?edit=${keyId}`, label: 'Open the key' } }
  }
  if (code === 'key_rate_limit' && keyId !== null) {
    return { ...advice, to: { href: `/keys?edit=${keyId}`, label: 'Change the limit' } }
  }
  return advice
}
