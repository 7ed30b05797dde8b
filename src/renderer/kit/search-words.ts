/** Whether each word of a search is in the text, whatever their case. */
export function includesWords(text: string, search: string): boolean {
  const where = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word))
}
