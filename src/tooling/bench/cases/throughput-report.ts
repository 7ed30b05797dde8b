import { PEER } from '../peers.ts'
import { sumTime, type Thread } from '../processor-time.ts'
import {
  atLeast,
  atMost,
  type CaseReport,
  count,
  type Goal,
  milliseconds,
  signed,
  type Table,
} from '../report.ts'
import { BARE, DESKTOP, HEADLESS } from '../session.ts'
import { computeSpread, median, type Spread } from '../statistics.ts'
import type { Round, RoundsMeasurement, WorkloadMeasurement } from './rounds.ts'

const AIM_OVER_BARE_MS = 0.6
/** What the app may add to a request of one client, and its part of the rate of many, next to the headless program. */
const DESKTOP_MS = 0.15
const DESKTOP_RATE = 0.9

export function reportThroughput(measured: readonly WorkloadMeasurement[]): CaseReport {
  return {
    goals: [...measured.flatMap(createGoals)],
    tables: measured.map(createTable),
  }
}

function createGoals({ workload, targets }: WorkloadMeasurement): Goal[] {
  const find = (name: string) => targets.find(({ target }) => target.name === name)
  const [bare, headless, desktop, peer] = [find(BARE), find(HEADLESS), find(DESKTOP), find(PEER)]
  if (!bare || !headless) return []
  const { name, clients, stream } = workload
  if (clients === 1) {
    if (stream) return []
    const own = compare(headless, bare, overBare).median
    const other = peer && peer.rounds.length > 0 ? compare(peer, bare, overBare).median : null
    const limit = Math.max(other ?? 0, AIM_OVER_BARE_MS)
    const target = `≤ the peer’s (${other === null ? 'not measured' : signed(other)}), or ${signed(AIM_OVER_BARE_MS)}`
    const added = desktop && desktop.rounds.length > 0 ? compare(desktop, headless, overBare).median : null
    return [
      { name: `${name}: median over the bare proxy`, measured: signed(own), target, met: own <= limit },
      atMost(`${name}: median in Electron over headless`, added, DESKTOP_MS, signed),
    ]
  }
  const ratio = compare(headless, bare, rateRatio).median
  const relative = atLeast(`${name}: rate relative to the bare proxy`, ratio, 0.5)
  if (stream) return [relative]
  const besidePeer = peer && peer.rounds.length > 0 ? compare(headless, peer, rateRatio).median : null
  const part = desktop && desktop.rounds.length > 0 ? compare(desktop, headless, rateRatio).median : null
  return [
    relative,
    atLeast(`${name}: rate relative to the peer`, besidePeer, 3),
    atLeast(`${name}: rate in Electron relative to headless`, part, DESKTOP_RATE),
  ]
}

const rateRatio = (one: Round, other: Round) => one.rate / other.rate
const overBare = (one: Round, bare: Round) => one.total.p50 - bare.total.p50

/** Compares two targets in each round. */
function compare(
  one: RoundsMeasurement,
  other: RoundsMeasurement,
  by: (a: Round, b: Round) => number,
): Spread {
  const values = one.rounds.flatMap((round, index) => {
    const same = other.rounds[index]
    return same ? [by(round, same)] : []
  })
  return computeSpread(values)
}

function createTable({ workload, targets }: WorkloadMeasurement): Table {
  const bare = targets.find(({ target }) => target.name === BARE)
  return {
    title: workload.name,
    // One client's streams are those of its plain requests, and a little longer.
    isDetail: workload.stream && workload.clients === 1,
    columns: [
      'target',
      ...['requests/s', 'relative to bare', 'first byte', 'last byte', 'p99', 'over bare'],
      ...['µs of processor', 'main', 'gateway', 'V8', 'writer', 'others'],
    ],
    rows: targets.map((one) => [
      one.target.name,
      ...(one.failure ? [`failed: ${one.failure}`] : [...rateCells(one, bare), ...timeCells(one)]),
    ]),
  }
}

function rateCells(one: RoundsMeasurement, bare: RoundsMeasurement | undefined): string[] {
  const over = (pick: (round: Round) => number) => milliseconds(median(one.rounds.map(pick)))
  return [
    count(median(one.rounds.map(({ rate }) => rate))),
    bare ? formatSpread(compare(one, bare, rateRatio), (value) => value.toFixed(2)) : '–',
    over(({ firstByte }) => firstByte.p50),
    over(({ total }) => total.p50),
    over(({ total }) => total.p99),
    bare ? formatSpread(compare(one, bare, overBare), signed) : '–',
  ]
}

/** Of each request. */
function timeCells({ rounds }: RoundsMeasurement): string[] {
  const part = (...threads: readonly Thread[]) =>
    count(median(rounds.map(({ time }) => threads.reduce((sum, thread) => sum + time[thread], 0))))
  const all = formatSpread(computeSpread(rounds.map(({ time }) => sumTime(time))), count)
  return [
    all,
    part('main'),
    part('gateway'),
    part('V8'),
    part('writer'),
    part('reader', 'tokenizer', 'other'),
  ]
}

function formatSpread({ median: middle, min, max }: Spread, format: (value: number) => string): string {
  return `${format(middle)} (${format(min)}…${format(max)})`
}
