import type { KeyMetadata } from '../../../shared/api/keys.ts'

/** Every word must be in the name, or be the end of the secret or the id. */
export function matchesKey({ name, secretHint, id }: KeyMetadata, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return words.every(
    (word) =>
      name.toLowerCase().includes(word) ||
      id === word ||
      (secretHint !== null && word.endsWith(secretHint.toLowerCase())),
  )
}
