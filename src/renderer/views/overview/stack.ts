import type { PeriodUsage } from '../../server-state/usage-periods.ts'

export interface Layer {
  /** The group's id; null for the layer of all others. */
  id: string | null
  label: string
  totalUsd: number
}

export interface Column {
  day: string
  totalUsd: number
  requests: number
  /** USD, one per layer, in their order. */
  parts: number[]
}

export interface Stack {
  layers: Layer[]
  columns: Column[]
}

/** At most `most` layers by name, largest first, and one for the rest. */
export function stackLayers(periods: readonly PeriodUsage[], most: number): Stack {
  const sums = new Map<string, Layer>()
  for (const { rows } of periods) {
    for (const { group, label, costUsd } of rows) {
      const layer = sums.get(group) ?? { id: group, label, totalUsd: 0 }
      layer.totalUsd += costUsd
      sums.set(group, layer)
    }
  }
  const ranked = [...sums.values()]
    .filter(({ totalUsd }) => totalUsd > 0)
    .toSorted((a, b) => b.totalUsd - a.totalUsd)
  const named = ranked.slice(0, ranked.length === most + 1 ? most + 1 : most)
  const rest = ranked.slice(named.length)
  const layers: Layer[] = [
    ...named,
    ...(rest.length > 0
      ? [{ id: null, label: `${rest.length} others`, totalUsd: sum(rest.map(({ totalUsd }) => totalUsd)) }]
      : []),
  ]
  const places = new Map(named.map(({ id }, index) => [id, index]))
  return {
    layers,
    columns: periods.map(({ day, rows }) => {
      const parts = layers.map(() => 0)
      for (const { group, costUsd } of rows) {
        const place = places.get(group) ?? layers.length - 1
        if (costUsd > 0) parts[place] = (parts[place] ?? 0) + costUsd
      }
      return {
        day,
        parts,
        totalUsd: sum(rows.map(({ costUsd }) => costUsd)),
        requests: sum(rows.map(({ requests }) => requests)),
      }
    }),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The colour of a layer; all after the sixth share one. */
export function layerColor(index: number): string {
  return `var(--chart-${Math.min(index, 5) + 1})`
}
