// Owns the random draws of the long test runs: the same seed and number give the same draws, however many came before.
import { type Chance, chanceOf } from '../seed/random.ts'

export interface Draw extends Chance {
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
  /** A whole number from `min` up to and including `max`. */
  between(min: number, max: number): number
  /** Any of them. Throws when there is none. */
  any<T>(from: readonly T[]): T
}

/** The draws of the case with this number. */
export function drawOf(seed: number, number = 0): Draw {
  const chance = chanceOf(mixed(mixed(seed) + number))
  const below = (limit: number) => Math.floor(chance.next() * limit)
  return {
    ...chance,
    below,
    between: (min, max) => min + below(max - min + 1),
    any(from) {
      const chosen = from[below(from.length)]
      if (chosen === undefined) throw new RangeError('nothing to draw from')
      return chosen
    },
  }
}

/** The finalizer of MurmurHash3: neighbouring numbers must not lead to similar draws. */
function mixed(value: number): number {
  let hash = value | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** A seed for a run that was given none. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31)
}
