/** Reproducible random numbers: all are derived from one seed. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** Log-normal: half of all draws are below `median`; `spread` is the standard deviation of the logarithm. */
  logNormal(median: number, spread: number): number
  /** A random item, by weight. Throws when there is nothing to pick from. */
  pick<T extends { weight: number }>(from: readonly T[]): T
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  /** A whole number from `min` up to and including `max`. */
  between(min: number, max: number): number
  /** A random item, each equally likely. Throws when there is nothing to pick from. */
  any<T>(from: readonly T[]): T
}

export function createRandom(seed: number): Random {
  // Marsaglia's xorshift (Journal of Statistical Software 8(14), 2003) with 32 bits of state, which must not be 0.
  let state = (seed ^ 0x9e3779b9) | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  /** The Box–Muller transform: a normal draw from two uniform ones. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    between: (min, max) => min + below(max - min + 1),
    any(from) {
      const chosen = from[below(from.length)]
      if (chosen === undefined) throw new RangeError('nothing to pick from')
      return chosen
    },
    chance: (probability) => next() < probability,
    logNormal: (median, spread) => median * Math.exp(spread * normal()),
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

/** The random draws of one case of a long run: the same seed and number reproduce it. */
export function randomForCase(seed: number, number = 0): Random {
  return createRandom(mixBits(mixBits(seed) + number))
}

/** The finalizer of MurmurHash3: consecutive numbers must not produce similar sequences. */
function mixBits(value: number): number {
  let hash = value | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** A seed for a run without one. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31)
}
