// Owns chance that repeats: every draw follows from one number. Knows nothing of what is drawn.

export interface Chance {
  /** At least 0, less than 1. */
  next(): number
  /** Whether something happens that does so in this share of cases. */
  happens(share: number): boolean
  /** Log-normal: half of all draws are below `median`; `spread` is the standard deviation of the logarithm. */
  around(median: number, spread: number): number
  /** Each by its weight. Throws when there is nothing to pick from. */
  pick<T extends { weight: number }>(from: readonly T[]): T
  /** So many lower-case hexadecimal digits. */
  hex(digits: number): string
}

export function chanceOf(seed: number): Chance {
  // Marsaglia's xorshift (Journal of Statistical Software 8(14), 2003) with 32 bits of state, which must not be 0.
  let state = (seed ^ 0x9e3779b9) | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  /** Box and Muller's way from two even draws to one normal. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return {
    next,
    happens: (share) => next() < share,
    around: (median, spread) => median * Math.exp(spread * normal()),
    pick(from) {
      let left = next() * from.reduce((sum, { weight }) => sum + weight, 0)
      const picked = from.find(({ weight }) => {
        left -= weight
        return left < 0
      })
      const chosen = picked ?? from.at(-1)
      if (!chosen) throw new RangeError('nothing to pick from')
      return chosen
    },
    hex(digits) {
      let text = ''
      while (text.length < digits)
        text += Math.floor(next() * 2 ** 32)
          .toString(16)
          .padStart(8, '0')
      return text.slice(0, digits)
    },
  }
}
