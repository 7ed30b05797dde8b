// Owns how a slider's place stands for a number of tokens: none at its left end, then ten times as many per step. Pure.

/** The places of the slider, 0 to this. */
export const PLACES = 160
const LEAST = 1_000
const DECADES = 8

/** The tokens of a place, with two significant digits, so that the field beside the slider reads well. */
export function tokensAt(place: number): number {
  if (place <= 0) return 0
  const exact = LEAST * 10 ** (((Math.min(place, PLACES) - 1) / (PLACES - 1)) * DECADES)
  return Number(exact.toPrecision(2))
}

/** The place nearest to a number of tokens. Beyond the scale it is the scale's end. */
export function placeOf(tokens: number): number {
  if (tokens < LEAST) return tokens <= 0 ? 0 : 1
  const place = 1 + (Math.log10(tokens / LEAST) / DECADES) * (PLACES - 1)
  return Math.min(PLACES, Math.round(place))
}
