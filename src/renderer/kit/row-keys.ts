/** The row that a key moves to from row `from`; null for any other key. `pageRows`: rows in the view. */
export function rowAfterKey(key: string, from: number, last: number, pageRows: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, from + 1)
    case 'ArrowUp':
      return Math.max(0, from - 1)
    case 'PageDown':
      return Math.min(last, from + pageRows)
    case 'PageUp':
      return Math.max(0, from - pageRows)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return null
  }
}
