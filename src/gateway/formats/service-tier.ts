// Owns which service tiers have prices of their own. Sources: OpenAI's, Anthropic's and Google's API references
// (`service_tier`, `serviceTier`). The price database knows the standard tier alone.

const OTHER_TIERS: ReadonlySet<unknown> = new Set(['batch', 'fast', 'flex', 'priority', 'scale'])

/** The mark of usage that was served in such a tier; nothing for the standard one, or for what is no tier. */
export function otherTier(tier: unknown): { otherTier?: true } {
  return OTHER_TIERS.has(tier) ? { otherTier: true } : {}
}
