// Owns how many tokens a model family makes of what another family's measure counts as one. Only ever for estimates.

interface Factor {
  pattern: RegExp
  /** Tokens of the family for one token of o200k_base, over a mix of prose and code. */
  factor: number
}

/**
 * Published comparisons find Claude's tokenizers to make about 16 % more tokens of English prose and up to 30 % more of
 * code than GPT-4o's, and the other families within 10 % of it, which is less than an estimate is good for.
 */
const factors: readonly Factor[] = [{ pattern: /(^|\/)claude-/, factor: 1.2 }]

/** 1 for a family of which nothing is known. */
export function tokenFactor(modelId: string): number {
  return factors.find(({ pattern }) => pattern.test(modelId.toLowerCase()))?.factor ?? 1
}
