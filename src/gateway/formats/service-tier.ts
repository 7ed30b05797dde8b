// Sources: the API references of OpenAI, Anthropic and Google (`service_tier`, `serviceTier`). OpenAI renamed its tier
// "priority" to "fast".
const OTHER_TIERS: ReadonlyMap<unknown, string> = new Map([
  ['batch', 'batch'],
  ['fast', 'priority'],
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['scale', 'scale'],
  ['ultrafast', 'ultrafast'],
])

/** Marks usage in a tier with different prices. Empty for the standard tier and for unknown values. */
export function otherTier(tier: unknown): { otherTier?: string } {
  const name = OTHER_TIERS.get(tier)
  return name === undefined ? {} : { otherTier: name }
}
