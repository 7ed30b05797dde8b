/** `a, b or c` */
export function joinWords(words: readonly string[], last: 'and' | 'or'): string {
  const [first = '', ...others] = words
  const end = others.pop()
  return end === undefined ? first : `${[first, ...others].join(', ')} ${last} ${end}`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
