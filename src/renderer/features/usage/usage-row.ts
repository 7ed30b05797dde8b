// The rows of the table.
import type { UsageRow as GatewayRow } from '../../../shared/api/usage.ts'
import { addSums, noUsage, type UsageSums } from '../../data/periods.ts'
import { HISTORY_COLOR } from '../../parts/usage-chart/plot.ts'

/** A row, a part of one, or the total. */
export interface TableRow extends UsageSums {
  /** The group's id; blank for a total. */
  id: string
  /** The name on the screen. */
  name: string
  /** Its place when sorted by name: days by date. */
  order: string
  latencyP50Ms: number | null
  latencyP95Ms: number | null
  /** The cost in the period before; undefined while it is unknown. */
  beforeUsd?: number | undefined
  /** The cost in each period of the range; undefined while it is unknown. */
  trend?: readonly number[] | undefined
  /** Its color in the chart; undefined for a row that the chart does not show. */
  color?: string | undefined
  /** It is from the logs of agents. */
  isImported?: boolean
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
  'trend',
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

type Sums = UsageSums & Partial<Pick<GatewayRow, 'latencyP50Ms' | 'latencyP95Ms'>>

export function toRow(id: string, name: string, sums: Sums, order = name.toLowerCase()): TableRow {
  return {
    id,
    name,
    order,
    ...addSums(noUsage, sums),
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
  const listParts = parts && Map.groupBy(parts, getRowId)
  return rows.map((row) => {
    const isImported = row.origin === 'import'
    // The gateway's label has the names of agents.
    const name = isImported && row.label !== row.group ? row.label : names.row(row.group, row.label)
    const named = {
      ...toRow(getRowId(row), name, row, names.ordered ? row.group : undefined),
      ...(isImported && { isImported, color: HISTORY_COLOR }),
    }
    if (!listParts) return named
    const own = listParts.get(getRowId(row)) ?? []
    return {
      ...named,
      parts: own.map((part) => {
        const id = part.split ?? ''
        return {
          ...toRow(id, names.part(id, part.splitLabel ?? id), part),
          ...(isImported && { isImported }),
        }
      }),
    }
  })
}

/** Imported calls have rows of their own. */
function getRowId({ group, origin }: GatewayRow): string {
  return origin === 'import' ? ` import ${group}` : group
}

/** The id of the row whose parts are the rows with little cost. */
export const SMALLER = ' smaller'
/** So many rows are all shown, and so few with little cost. */
const MANY_ROWS = 8
const FEW_SMALL = 3
const SMALL_SHARE = 0.01

/** Rows below a hundredth of the sum become the parts of one, if there are many. */
export function foldSmall(rows: readonly TableRow[], totalUsd: number): readonly TableRow[] {
  const isSmall = ({ costUsd, isImported }: TableRow) => !isImported && costUsd < totalUsd * SMALL_SHARE
  const small = rows.filter(isSmall)
  if (rows.length <= MANY_ROWS || small.length < FEW_SMALL) return rows
  const sums = small.reduce<UsageSums>(addSums, noUsage)
  const before = small.map(({ beforeUsd }) => beforeUsd)
  return [
    ...rows.filter((row) => !isSmall(row)),
    {
      ...toRow(SMALLER, `${small.length} below 1%`, sums),
      beforeUsd: before.includes(undefined)
        ? undefined
        : before.reduce<number>((sum, usd) => sum + (usd ?? 0), 0),
      color: small[0]?.color,
      parts: small.map(({ parts: _, ...row }) => row),
    },
  ]
}
