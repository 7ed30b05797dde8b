// Owns which row a key leads to. Pure.

/** The place in the list that a key leads to from a row; null for any other key. `fitting`: rows in the view. */
export function destination(key: string, from: number, last: number, fitting: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, from + 1)
    case 'ArrowUp':
      return Math.max(0, from - 1)
    case 'PageDown':
      return Math.min(last, from + fitting)
    case 'PageUp':
      return Math.max(0, from - fitting)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}
