/** The JSON of a chunk in pieces. */
export interface ChunkPieces {
  /** What surrounds the texts, with their quotes: the same array for chunks that differ in their texts only. */
  parts: readonly string[]
  /** Strings as JSON has them, without their quotes: one between each two parts. */
  texts: readonly string[]
}

export function joinPieces({ parts, texts }: ChunkPieces): string {
  let json = ''
  for (let at = 0; at < parts.length; at += 1) json += (parts[at] ?? '') + (texts[at] ?? '')
  return json
}
