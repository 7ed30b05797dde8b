// The rate, the delay and the processor time of plain requests and of streams, for each target in turn.
import { PEER } from '../peers.ts'
import { type ProcessorTime, startProcessorTime, sumTime, type Thread } from '../processor-time.ts'
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
import { CLIENTS, type Load, type RequestsMeasurement, sendRequests } from '../requests.ts'
import { compareRounds, measureInTurn, type Rounds } from '../rounds.ts'
import { BARE, DESKTOP, HEADLESS, type Session } from '../session.ts'
import { computeSpread, median, type Spread } from '../statistics.ts'

interface Workload extends Load {
  name: string
}

interface Round extends RequestsMeasurement {
  /** Microseconds of processor time per request. */
  time: ProcessorTime
}

/** The rounds of each target. */
type Measurements = ReadonlyMap<string, Rounds<Round>>

const AIM_OVER_BARE_MS = 0.6
/** What the app may add to a request of one client, and its part of the rate of many, next to the headless program. */
const DESKTOP_MS = 0.15
const DESKTOP_RATE = 0.9
/** The columns of processor time, and the threads in each. */
const PARTS: readonly (readonly [name: string, threads: readonly Thread[]])[] = [
  ['main', ['main']],
  ['gateway', ['gateway']],
  ['V8', ['V8']],
  ['writer', ['writer']],
  ['others', ['reader', 'tokenizer', 'other']],
]

export async function measureThroughput(session: Session): Promise<CaseReport> {
  const { plain, streams, rounds, warmUp } = session.sizes
  const chunks = 'streams of 50 chunks'
  const workloads: readonly Workload[] = [
    { name: 'plain, 1 client', stream: false, clients: 1, requests: plain.alone },
    { name: `plain, ${CLIENTS} clients`, stream: false, clients: CLIENTS, requests: plain.together },
    { name: `${chunks}, 1 client`, stream: true, clients: 1, requests: streams.alone },
    { name: `${chunks}, ${CLIENTS} clients`, stream: true, clients: CLIENTS, requests: streams.together },
  ]
  const { targets, remarks } = await session.compared()
  const report = { goals: [] as Goal[], tables: [] as Table[], remarks: [...remarks] }
  for (const workload of workloads) {
    const measured = await measureInTurn(targets, rounds, async (target, isWarmUp): Promise<Round> => {
      const load = isWarmUp ? { ...workload, clients: CLIENTS, requests: warmUp } : workload
      const getTime = startProcessorTime(target.pid)
      const sent = await sendRequests(target, load)
      return { ...sent, time: getTime(load.requests) }
    })
    report.goals.push(...createGoals(workload, measured))
    report.tables.push(createTable(workload, measured))
  }
  return report
}

const rateRatio = (one: Round, other: Round) => one.rate / other.rate
const overBare = (one: Round, bare: Round) => one.total.p50 - bare.total.p50

function createGoals({ name, clients, stream }: Workload, measured: Measurements): Goal[] {
  const compare = (one: string, other: string, by: (a: Round, b: Round) => number) =>
    compareRounds(measured.get(one), measured.get(other), by)?.median ?? null
  if (clients === 1) {
    if (stream) return []
    const added = compare(HEADLESS, BARE, overBare)
    const other = compare(PEER, BARE, overBare)
    const limit = Math.max(other ?? 0, AIM_OVER_BARE_MS)
    const inElectron = compare(DESKTOP, HEADLESS, overBare)
    return [
      {
        ...atMost(`${name}: median over the bare proxy`, added, limit, signed),
        target: `≤ the peer’s (${other === null ? 'not measured' : signed(other)}), or ${signed(AIM_OVER_BARE_MS)}`,
      },
      atMost(`${name}: median in Electron over headless`, inElectron, DESKTOP_MS, signed),
    ]
  }
  const toBare = compare(HEADLESS, BARE, rateRatio)
  const relative = atLeast(`${name}: rate relative to the bare proxy`, toBare, 0.5)
  if (stream) return [relative]
  const toPeer = compare(HEADLESS, PEER, rateRatio)
  const inElectron = compare(DESKTOP, HEADLESS, rateRatio)
  return [
    relative,
    atLeast(`${name}: rate relative to the peer`, toPeer, 3),
    atLeast(`${name}: rate in Electron relative to headless`, inElectron, DESKTOP_RATE),
  ]
}

function createTable({ name, stream, clients }: Workload, measured: Measurements): Table {
  const bare = measured.get(BARE)
  return {
    title: name,
    // One client's streams are those of its plain requests, and a little longer.
    isDetail: stream && clients === 1,
    columns: [
      'target',
      ...['requests/s', 'relative to bare', 'first byte', 'last byte', 'p99', 'over bare'],
      ...['µs of processor', ...PARTS.map(([part]) => part)],
    ],
    rows: [...measured].map(([target, one]) => [
      target,
      ...(one.failure === null ? [...rateCells(one, bare), ...timeCells(one)] : [`failed: ${one.failure}`]),
    ]),
  }
}

function rateCells(one: Rounds<Round>, bare: Rounds<Round> | undefined): string[] {
  const over = (pick: (round: Round) => number) => milliseconds(median(one.rounds.map(pick)))
  return [
    count(median(one.rounds.map(({ rate }) => rate))),
    formatSpread(compareRounds(one, bare, rateRatio), (value) => value.toFixed(2)),
    over(({ firstByte }) => firstByte.p50),
    over(({ total }) => total.p50),
    over(({ total }) => total.p99),
    formatSpread(compareRounds(one, bare, overBare), signed),
  ]
}

/** Of each request. */
function timeCells({ rounds }: Rounds<Round>): string[] {
  const sum = (threads?: readonly Thread[]) => rounds.map(({ time }) => sumTime(time, threads))
  return [
    formatSpread(computeSpread(sum()), count),
    ...PARTS.map(([, threads]) => count(median(sum(threads)))),
  ]
}

function formatSpread(spread: Spread | null, format: (value: number) => string): string {
  if (spread === null) return '–'
  return `${format(spread.median)} (${format(spread.min)}…${format(spread.max)})`
}
