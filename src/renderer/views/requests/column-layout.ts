import { type ColumnId, type LogColumn, logColumns } from './log-columns.tsx'

export interface ColumnLayout {
  /** Those that have room, from left to right. */
  shown: readonly ColumnId[]
  /** The value of `grid-template-columns`. */
  template: string
  /** The space between two columns. */
  gapPx: number
}

/** The space at both sides of a row. */
const PADDING_PX = 48
const NARROW_PX = 820
/** What the model gets before other columns become wider than they must be. */
const MODEL_FIRST_PX = 80

/** Fits the chosen columns into a width, the most important ones first. */
export function fitColumns(chosen: readonly ColumnId[], widthPx: number): ColumnLayout {
  const kept = new Set<ColumnId>()
  const gapPx = widthPx < NARROW_PX ? 8 : 12
  let left = widthPx - PADDING_PX + gapPx
  for (const id of chosen.toSorted((a, b) => logColumns[a].rank - logColumns[b].rank)) {
    left -= logColumns[id].minPx + gapPx
    // The two most important ones are always there.
    if (left < 0 && kept.size >= 2) break
    kept.add(id)
  }
  const shown = chosen.filter((id) => kept.has(id))
  const usedPx = shown.reduce((sum, id) => sum + logColumns[id].minPx + gapPx, PADDING_PX - gapPx)
  const sparePx = Math.min(MODEL_FIRST_PX, Math.max(0, widthPx - usedPx))
  const sizes = shown.map((id) => writeTrack(logColumns[id], id === 'model' ? sparePx : 0))
  return { shown, template: sizes.join(' '), gapPx }
}

function writeTrack({ minPx, maxPx }: LogColumn, extraPx: number): string {
  if (maxPx === undefined) return `${minPx}px`
  return `minmax(${minPx + extraPx}px, ${Number.isFinite(maxPx) ? `${maxPx}px` : '1fr'})`
}
