// The rows of the table.
import type { UsageRow as GatewayRow } from '../../../shared/api/usage.ts'

/** A row, a part of one, or the total. */
export interface TableRow {
  /** The group's id; blank for a total. */
  id: string
  /** The name on the screen. */
  name: string
  /** Its place when sorted by name: days by date. */
  order: string
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  costUsd: number
  worthUsd: number
  savedUsd: number
  energyWh: number
  energyUsd: number
  /** Requests whose cost is unknown. */
  unpriced: number
  errors: number
  latencyP50Ms: number | null
  latencyP95Ms: number | null
  /** The cost in the period before; undefined while it is unknown. */
  beforeUsd?: number | undefined
  /** Undefined until the parts are read. */
  parts?: TableRow[]
}

export const COLUMN_IDS = [
  'name',
  'requests',
  'tokensIn',
  'tokensOut',
  'cached',
  'cost',
  'change',
  'share',
  'perThousand',
  'errors',
  'p50',
  'p95',
] as const

export type ColumnId = (typeof COLUMN_IDS)[number]

/** Undefined if no price of any of its requests is known. */
export function computeCost({ costUsd, requests, unpriced }: TableRow): number | undefined {
  return unpriced > 0 && unpriced === requests ? undefined : costUsd
}

/** The cost of a thousand requests with a price; undefined if there is none. */
export function costPerThousand({ costUsd, requests, unpriced }: TableRow): number | undefined {
  const priced = requests - unpriced
  return priced > 0 ? (costUsd / priced) * 1000 : undefined
}

/** How much more was spent than in the period before; undefined if one of the two is unknown. */
export function computeChange(row: TableRow): number | undefined {
  const usd = computeCost(row)
  return usd === undefined || row.beforeUsd === undefined ? undefined : usd - row.beforeUsd
}

type Sums = Omit<GatewayRow, 'group' | 'label' | 'split' | 'splitLabel'>

export function toRow(id: string, name: string, sums: Sums, order = name.toLowerCase()): TableRow {
  const { requests, tokensIn, tokensOut, tokensCached, costUsd, worthUsd, savedUsd } = sums
  return {
    ...{ id, name, order, requests, tokensIn, tokensOut, tokensCached, costUsd, worthUsd, savedUsd },
    energyWh: sums.energyWh,
    energyUsd: sums.energyUsd,
    unpriced: sums.unpriced,
    errors: sums.errors,
    latencyP50Ms: sums.latencyP50Ms ?? null,
    latencyP95Ms: sums.latencyP95Ms ?? null,
  }
}

export type NameOf = (id: string, label: string) => string

export interface Names {
  row: NameOf
  part: NameOf
  /** The ids of the rows are their order. */
  ordered: boolean
}

/** The rows of a response, each with its parts if they were read. */
export function toRows(
  rows: readonly GatewayRow[],
  parts: readonly GatewayRow[] | undefined,
  names: Names,
): TableRow[] {
  const listParts = parts && Map.groupBy(parts, ({ group }) => group)
  return rows.map((row) => {
    const name = names.row(row.group, row.label)
    const named = toRow(row.group, name, row, names.ordered ? row.group : undefined)
    if (!listParts) return named
    const own = listParts.get(row.group) ?? []
    return {
      ...named,
      parts: own.map((part) => {
        const id = part.split ?? ''
        return toRow(id, names.part(id, part.splitLabel ?? id), part)
      }),
    }
  })
}
