// Compares an export with the request log, and finds which uncertain charges it settles.
import { getOrCreate } from '../../../gateway/platform/maps.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import type { MatchStatus, ReconciledSide, Reconciliation } from '../api/reconciliations.ts'
import { modelKey, pairRequests } from './pair-requests.ts'
import { type Entry, type ExportEntry, toDay } from './read-export.ts'
import type { BilledRequest } from './reconciliation-rows.ts'

/** The cost of a request as the export states it. */
export interface StatedCharge {
  id: string
  costNano: number
  changeNano: number
}

type Comparison = Pick<
  Reconciliation,
  'counts' | 'there' | 'here' | 'differenceUsd' | 'days' | 'requests' | 'requestsLeftOut'
> & { charges: StatedCharge[] }

const NOTHING: ReconciledSide = { requests: 0, tokensIn: 0, tokensOut: 0, costUsd: 0 }
const MAX_REQUESTS = 5_000
/** The remainder of a sum must be known this many times better than it can be wrong. */
const PRECISION = 20
/** What the addition of fractions of nano-dollars can be wrong by. */
const FLOAT_ERROR = 0.01

/** Both lists are in the order of their time. */
export function compare(
  entries: readonly ExportEntry[],
  requests: readonly BilledRequest[],
  counted: Reconciliation['counted'],
): Comparison {
  const days = groupByDay(entries, requests)
  const pairs = counted === 'request' ? listPairs(entries, requests) : []
  const dayLines = days.map(({ day, model, there, here }) => ({ day, model, ...compareSides(there, here) }))
  const requestLines = pairs.map(toRequestLine)
  const differing = requestLines.filter(({ status }) => status !== 'matched')
  const counts = { matched: 0, differing: 0, 'missing-here': 0, 'missing-there': 0 }
  for (const { status } of counted === 'request' ? requestLines : dayLines) counts[status] += 1
  const total = compareSides(entries, requests)
  return {
    counts,
    there: total.there ?? NOTHING,
    here: total.here ?? NOTHING,
    differenceUsd: total.differenceUsd,
    days: dayLines,
    requests: differing.slice(0, MAX_REQUESTS),
    requestsLeftOut: Math.max(0, differing.length - MAX_REQUESTS),
    charges:
      counted === 'request'
        ? pairs.flatMap(({ there, here }) => listCharges(there, here, 0))
        : days.flatMap(({ there, here }) => listCharges(there, here, PRECISION)),
  }
}

/** Entries and requests that belong together. */
interface Group {
  there: ExportEntry[]
  here: BilledRequest[]
}

/** The newest day first, then by model. All models are compared together on a day with an entry for no model. */
function groupByDay(entries: readonly ExportEntry[], requests: readonly BilledRequest[]) {
  const groups = new Map<string, Group & { day: string; model: string | null }>()
  const unnamed = new Set(entries.filter(({ model }) => model === null).map(({ at }) => toDay(at)))
  const getGroup = ({ at, model: named }: Entry) => {
    const day = toDay(at)
    const model = unnamed.has(day) ? null : named
    const create = () => ({ day, model, there: [], here: [] })
    return getOrCreate(groups, `${day} ${model === null ? '' : modelKey(model)}`, create)
  }
  // First the requests: the group is named as the log names the model.
  for (const request of requests) getGroup(request).here.push(request)
  for (const entry of entries) getGroup(entry).there.push(entry)
  return [...groups.values()].sort(
    (a, b) => b.day.localeCompare(a.day) || (a.model ?? '').localeCompare(b.model ?? ''),
  )
}

function listPairs(entries: readonly ExportEntry[], requests: readonly BilledRequest[]): Group[] {
  const pairs = pairRequests(entries, requests)
  const paired = new Set(pairs.values())
  const listed = entries.map((entry) => {
    const request = pairs.get(entry)
    return { there: [entry], here: request ? [request] : [] }
  })
  const missing = requests.filter((request) => !paired.has(request))
  return [...listed, ...missing.map((request) => ({ there: [], here: [request] }))]
}

function toRequestLine({ there, here }: Group): Reconciliation['requests'][number] {
  const [[entry], [request]] = [there, here]
  return {
    at: new Date(request?.at ?? entry?.at ?? 0).toISOString(),
    model: request?.model ?? entry?.model ?? null,
    row: entry?.row ?? null,
    requestId: request?.id ?? null,
    costStatus: request?.costStatus ?? null,
    ...compareSides(there, here),
  }
}

function compareSides(entries: readonly ExportEntry[], requests: readonly BilledRequest[]) {
  const there = entries.length === 0 ? null : sum(entries)
  const here = requests.length === 0 ? null : sum(requests)
  const hasCosts = there === null || there.costNano !== null
  return {
    status: findStatus(there, here),
    there: there && toSide(there),
    here: here && toSide(here),
    differenceUsd: hasCosts ? toUsd((there?.costNano ?? 0) - (here?.costNano ?? 0)) : null,
  }
}

type Sum = Omit<Entry, 'at' | 'model'>

/** A member is null if it is in all entries. Nothing is added for requests without a known price, as nothing was charged. */
function sum(entries: readonly Entry[]): Sum {
  const add = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0))
  const total: Sum = { requests: null, tokensIn: null, tokensOut: null, costNano: null, error: 0 }
  for (const { requests, tokensIn, tokensOut, costNano, error } of entries) {
    total.requests = add(total.requests, requests)
    total.tokensIn = add(total.tokensIn, tokensIn)
    total.tokensOut = add(total.tokensOut, tokensOut)
    total.costNano = add(total.costNano, costNano)
    total.error += error
  }
  return total
}

function findStatus(there: Sum | null, here: Sum | null): MatchStatus {
  if (!there) return 'missing-there'
  if (!here) return 'missing-here'
  const isSame = (name: 'requests' | 'tokensIn' | 'tokensOut' | 'costNano', error = 0) =>
    there[name] === null || here[name] === null || Math.abs(there[name] - here[name]) <= error
  const isSameCost = isSame('costNano', there.error + here.error + FLOAT_ERROR)
  return isSameCost && isSame('requests') && isSame('tokensIn') && isSame('tokensOut')
    ? 'matched'
    : 'differing'
}

function toSide({ costNano, requests, tokensIn, tokensOut }: Sum): ReconciledSide {
  return { requests, tokensIn, tokensOut, costUsd: costNano === null ? null : toUsd(costNano) }
}

function toUsd(nano: number): number {
  return Math.round(nano) / NANO_PER_USD
}

/**
 * The new charges of the uncertain requests: what remains of the export's sum after the certain charges. Several share it in
 * proportion to what they were charged; their sum is exact. None if the export counts another number of requests, or its sum
 * is wrong by more than the `precision`th part of what remains.
 */
function listCharges(
  entries: readonly ExportEntry[],
  requests: readonly BilledRequest[],
  precision: number,
): StatedCharge[] {
  const open = requests.filter(isUncertain)
  const there = sum(entries)
  if (open.length === 0 || there.costNano === null) return []
  if (there.requests !== null && there.requests !== requests.length) return []
  const certain = requests.filter((request) => !isUncertain(request))
  if (certain.some(({ costNano }) => costNano === null)) return []
  const rest = Math.round(there.costNano - (sum(certain).costNano ?? 0))
  return rest < 0 || rest < there.error * precision ? [] : share(open, rest)
}

function isUncertain({ costStatus }: BilledRequest): boolean {
  return costStatus === 'unsettled' || costStatus === 'estimated'
}

/** Without estimates that turn out to be right. */
function share(open: readonly BilledRequest[], restNano: number): StatedCharge[] {
  const total = sum(open).costNano ?? 0
  let weight = 0
  let shared = 0
  const charges = open.map(({ id, costNano: current, costStatus }) => {
    const charged = current ?? 0
    weight += total === 0 ? 1 / open.length : charged / total
    // Each gets the difference of rounded sums, so that all together get exactly the rest.
    const upTo = id === open.at(-1)?.id ? restNano : Math.round(restNano * weight)
    const costNano = upTo - shared
    shared = upTo
    return { id, costNano, changeNano: costNano - charged, costStatus }
  })
  return charges.filter(({ changeNano, costStatus }) => changeNano !== 0 || costStatus === 'unsettled')
}
