import { getOrCreate } from '../../../gateway/platform/maps.ts'
import type { MatchStatus, ReconciledItem, ReconciledLine } from '../api/reconciliations.ts'
import { chargesOfPairs, chargesOfSum, type NewCharge, type Pair, pairRequests } from './pair-requests.ts'
import type { Entry } from './read-export.ts'
import { toDay } from './read-numbers.ts'
import type { BilledRequest } from './reconciliation-rows.ts'
import { differenceUsd, getStatus, modelKey, type Sum, sumEntries, sumRequests, toSide } from './sides.ts'

export interface Comparison {
  counts: Record<MatchStatus, number>
  there: Sum
  here: Sum
  lines: ReconciledLine[]
  items: Omit<ReconciledItem, 'requestId'>[]
  /** The request of each item; null for one that is only in the export. */
  itemRequests: (BilledRequest | null)[]
  itemsLeftOut: number
  charges: NewCharge[]
}

interface ComparisonInput {
  entries: readonly Entry[]
  requests: readonly BilledRequest[]
  each: 'request' | 'period'
}

const MAX_ITEMS = 5_000
/** The group of a day whose models the export does not tell. */
const ALL_MODELS = ''

export function compare(compared: ComparisonInput): Comparison {
  const { entries, requests, each } = compared
  const groups = groupByDay(compared)
  const lines = groups.map(toLine)
  const pairs = each === 'request' ? pairRequests(entries, requests) : []
  const all = pairs.map((pair) => ({ pair, item: toItem(pair) }))
  const items = all.filter(({ item }) => item.status !== 'matched')
  const charges =
    each === 'request'
      ? chargesOfPairs(pairs)
      : groups.flatMap(({ entries: of, requests: ours }) =>
          of.length === 0 ? [] : chargesOfSum(sumEntries(of, each), ours),
        )
  const shown = items.slice(0, MAX_ITEMS)
  return {
    counts: countStatuses(
      each === 'request' ? all.map(({ item }) => item.status) : lines.map(({ status }) => status),
    ),
    there: sumEntries(entries, each),
    here: sumRequests(requests),
    lines,
    items: shown.map(({ item }) => item),
    itemRequests: shown.map(({ pair }) => pair.request),
    itemsLeftOut: items.length - shown.length,
    charges: charges.filter(
      ({ request, costNano }) => costNano !== request.costNano || request.costStatus === 'unsettled',
    ),
  }
}

interface Group {
  day: string
  /** As the log names it, or else the export. */
  model: string | null
  entries: Entry[]
  requests: BilledRequest[]
  each: 'request' | 'period'
}

/** The newest day first, then by model. */
function groupByDay({ entries, requests, each }: ComparisonInput): Group[] {
  const groups = new Map<string, Group>()
  // All models are compared together on a day with an entry for no model.
  const unnamed = new Set(entries.filter(({ model }) => model === null).map(({ day }) => day))
  const getGroup = (day: string, named: string | null): Group => {
    const model = unnamed.has(day) ? null : named
    const key = model === null ? ALL_MODELS : modelKey(model)
    return getOrCreate(groups, `${day} ${key}`, () => ({ day, model, entries: [], requests: [], each }))
  }
  for (const request of requests) getGroup(toDay(request.createdAt), request.model).requests.push(request)
  for (const entry of entries) getGroup(entry.day, entry.model).entries.push(entry)
  return [...groups.values()].sort(
    (a, b) => b.day.localeCompare(a.day) || (a.model ?? '').localeCompare(b.model ?? ''),
  )
}

function toLine({ day, model, entries, requests, each }: Group): ReconciledLine {
  const there = entries.length === 0 ? null : sumEntries(entries, each)
  const here = requests.length === 0 ? null : sumRequests(requests)
  return {
    day,
    model,
    status: getStatus(there, here),
    there: there && toSide(there),
    here: here && toSide(here),
    differenceUsd: differenceUsd(there, here),
  }
}

function toItem({ entry, request }: Pair): Omit<ReconciledItem, 'requestId'> {
  const there = entry && sumEntries([entry], 'request')
  const here = request && sumRequests([request])
  return {
    status: getStatus(there, here),
    row: entry?.row ?? null,
    at: new Date(request?.createdAt ?? entry?.at ?? 0).toISOString(),
    model: request?.model ?? entry?.model ?? '',
    there: there && toSide(there),
    here: here && toSide(here),
    costStatus: request?.costStatus ?? null,
    differenceUsd: differenceUsd(there, here),
  }
}

function countStatuses(statuses: readonly MatchStatus[]): Record<MatchStatus, number> {
  const counts = { matched: 0, differing: 0, 'missing-here': 0, 'missing-there': 0 }
  for (const status of statuses) counts[status] += 1
  return counts
}
