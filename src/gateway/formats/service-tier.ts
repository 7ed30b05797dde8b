// Sources: the API references of OpenAI, Anthropic and Google (`service_tier`, `serviceTier`). The price database
// covers the standard tier only.
const OTHER_TIERS: ReadonlySet<unknown> = new Set(['batch', 'fast', 'flex', 'priority', 'scale'])

/** Marks usage in a tier with different prices. Empty for the standard tier and for unknown values. */
export function otherTier(tier: unknown): { otherTier?: true } {
  return OTHER_TIERS.has(tier) ? { otherTier: true } : {}
}
