// Sources: the API references of OpenAI, Groq, Anthropic and Google (`service_tier`, `serviceTier`, `speed`, `inference_geo`).
// OpenAI renamed its tier "priority" to "fast".
const TIERS: Readonly<Record<string, ReadonlyMap<string, string | null>>> = {
  service_tier: new Map([
    ['', null],
    ['auto', null],
    ['batch', 'batch'],
    ['default', null],
    ['fast', 'priority'],
    ['flex', 'flex'],
    ['on_demand', null],
    ['priority', 'priority'],
    ['scale', 'scale'],
    ['standard', null],
    ['standard_only', null],
    ['ultrafast', 'ultrafast'],
    ['unspecified', null],
  ]),
  speed: new Map([
    ['fast', 'fast'],
    ['standard', null],
  ]),
  inference_geo: new Map([
    ['global', null],
    ['not_available', null],
    ['us', 'us'],
  ]),
}

/**
 * Marks usage in a tier with different prices, by the value of `service_tier` or of another such member. Empty for the
 * standard tier; what is not known is the tier "unknown", which has no price.
 */
export function otherTier(value: unknown, member = 'service_tier'): { otherTier?: string } {
  if (typeof value !== 'string') return {}
  const tiers = TIERS[member === 'serviceTier' ? 'service_tier' : member]
  const tier = tiers?.get(value.toLowerCase().replace(/^service_tier_/, ''))
  if (tier === null) return {}
  return { otherTier: tier ?? 'unknown' }
}
