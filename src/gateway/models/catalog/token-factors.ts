interface Factor {
  pattern: RegExp
  /** Tokens of the family for one token of o200k_base, over a mix of prose and code. */
  factor: number
}

/**
 * Published comparisons (as of 2026-11) find that Claude's tokenizers produce about 16 % more tokens for English prose
 * and up to 30 % more for code than GPT-4o's. The other families are within 10 %, less than the error of an estimate.
 */
const factors: readonly Factor[] = [{ pattern: /(^|\/)claude-/, factor: 1.2 }]

/** All values of `tokenFactor`. */
export const TOKEN_FACTORS: readonly number[] = [1, ...factors.map(({ factor }) => factor)]

/** How many tokens of the model one token of o200k_base is, for estimates; 1 for an unknown family. */
export function tokenFactor(modelId: string): number {
  return factors.find(({ pattern }) => pattern.test(modelId.toLowerCase()))?.factor ?? 1
}

/** The tokens of a model with the factor `to`, for the same text that had `tokens` of a model with the factor `from`. */
export function convertTokens(tokens: number, from: number, to: number): number {
  return from === to ? tokens : Math.round((tokens * to) / from)
}
