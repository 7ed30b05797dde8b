/** The slider has positions from 0, for no tokens, to this. */
export const MAX_POSITION = 160
const LEAST = 1_000
const DECADES = 8

/** The tokens at a position, rounded to two significant digits. */
export function positionToTokens(position: number): number {
  if (position <= 0) return 0
  const exact = LEAST * 10 ** (((Math.min(position, MAX_POSITION) - 1) / (MAX_POSITION - 1)) * DECADES)
  return Number(exact.toPrecision(2))
}

/** The position nearest to a number of tokens. */
export function tokensToPosition(tokens: number): number {
  if (tokens < LEAST) return tokens <= 0 ? 0 : 1
  const position = 1 + (Math.log10(tokens / LEAST) / DECADES) * (MAX_POSITION - 1)
  return Math.min(MAX_POSITION, Math.round(position))
}
