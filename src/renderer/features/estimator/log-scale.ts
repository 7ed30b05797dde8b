/** The positions of a slider whose value grows by a constant factor: 0 for zero, then from `least` up. */
export interface LogScale {
  max: number
  /** The value at a position, rounded to two significant digits. */
  toValue: (position: number) => number
  /** The position nearest to a value. */
  toPosition: (value: number) => number
}

const STEPS_PER_DECADE = 20

export function createLogScale(least: number, most: number): LogScale {
  const decades = Math.log10(most / least)
  const max = 1 + Math.round(decades * STEPS_PER_DECADE)
  return {
    max,
    toValue: (position) => {
      if (position <= 0) return 0
      const exact = least * 10 ** (((Math.min(position, max) - 1) / (max - 1)) * decades)
      return Number(exact.toPrecision(2))
    },
    toPosition: (value) => {
      if (value < least) return value <= 0 ? 0 : 1
      return Math.min(max, Math.round(1 + (Math.log10(value / least) / decades) * (max - 1)))
    },
  }
}
