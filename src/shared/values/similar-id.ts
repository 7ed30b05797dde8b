// The name that was probably meant.

/** Longer ids are not compared: clients choose them, and comparing takes time. */
const MAX_LENGTH = 100
/** How many characters may differ: this share of the id, but never more than that. */
const MAX_SHARE = 0.4
const MAX_DISTANCE = 4

/** The id that `wanted` probably means; null when none is similar. Letter case and punctuation hardly matter. */
export function findSimilarId(wanted: string, ids: Iterable<string>): string | null {
  if (wanted.length > MAX_LENGTH) return null
  const plain = simplify(wanted)
  const limit = Math.min(MAX_DISTANCE, Math.floor(plain.length * MAX_SHARE))
  let best: { id: string; distance: number } | null = null
  for (const id of ids) {
    const other = simplify(id)
    if (Math.abs(other.length - plain.length) > limit) continue
    const distance = countEdits(plain, other)
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { id, distance }
  }
  return best?.id ?? null
}

function simplify(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9/]/g, '')
}

/** The Levenshtein distance: how many characters to insert, delete or replace. */
function countEdits(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + changed,
        ),
      )
    }
    above = current
  }
  return above[other.length] ?? 0
}
