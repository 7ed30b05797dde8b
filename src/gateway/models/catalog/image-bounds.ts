/** An upper bound for reservations, not an estimate. */
interface ImageBound {
  pattern: RegExp
  /** Tokens of the largest image at the highest detail. */
  tokens: number
}

const bounds: readonly ImageBound[] = [
  // OpenAI's documentation: 2,833 and 5,667 for each of at most eight tiles.
  { pattern: /(^|\/)gpt-4o-mini/, tokens: 48_200 },
  // OpenAI's documentation: 85 and 170 for each of at most eight tiles.
  { pattern: /(^|\/)gpt-4o/, tokens: 1_500 },
  // Anthropic's documentation: 4,784 at the highest resolution that is not scaled down.
  { pattern: /(^|\/)claude-/, tokens: 4_800 },
]

/** Measured: 14,364 for a photo of 12 megapixels with the newest OpenAI models, up to 16,384 with Qwen's. */
const UNKNOWN = 16_384

/** The highest number of tokens that the model counts for one image. */
export function mostImageTokens(modelId: string): number {
  const id = modelId.toLowerCase()
  return bounds.find(({ pattern }) => pattern.test(id))?.tokens ?? UNKNOWN
}
