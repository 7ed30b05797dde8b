// Requests at a fixed rate to a provider that takes its time, as from people and agents: what the gateway adds to each.
import { errorMessage } from '../../../shared/values/text.ts'
import type { RequestsMeasurement, Target } from '../jobs.ts'
import { atMost, type CaseReport, type Goal, milliseconds, signed, type Table } from '../report.ts'
import { BARE, HEADLESS, type Session, UPSTREAM } from '../session.ts'
import { median } from '../statistics.ts'
import type { Targets } from '../targets.ts'

/** The time in which the provider answers. */
const ANSWER_MS = 50
/** The rates, and the milliseconds that may be added to two quantiles; null where there is no target. */
const RATES = [
  { perSecond: 10, p50: null, p99: null },
  { perSecond: 100, p50: 0.6, p99: 2 },
  { perSecond: 500, p50: null, p99: 3 },
] as const

interface RateMeasurement {
  target: Target
  rounds: RequestsMeasurement[]
  failure: string | null
}

export async function measureRates(session: Session, { targets }: Targets): Promise<CaseReport> {
  const { warmUp } = session.sizes
  for (const target of targets)
    await session.load.run({ kind: 'requests', target, requests: warmUp, clients: 32, stream: false })
  const goals: Goal[] = []
  const all: RateMeasurement[][] = []
  for (const rate of RATES) {
    const measured = await measure(session, rate.perSecond, targets)
    const name = `${rate.perSecond} requests a second`
    all.push(measured)
    const own = measured.find(({ target }) => target.name === HEADLESS)
    for (const quantile of ['p50', 'p99'] as const) {
      const limit = rate[quantile]
      if (limit === null || !own) continue
      const added = compareRounds(own, measured, quantile)
      goals.push(atMost(`${name}: over the bare proxy, ${quantile}`, added, limit, signed))
    }
  }
  return { goals, tables: [createTable(all)] }
}

/** Every target in turn, several times. */
async function measure(
  session: Session,
  perSecond: number,
  targets: readonly Target[],
): Promise<RateMeasurement[]> {
  const { rounds, seconds } = session.sizes.rates
  const compared = targets.filter(({ name }) => name !== UPSTREAM)
  const measured = compared.map((target): RateMeasurement => ({ target, rounds: [], failure: null }))
  const requests = Math.max(1, Math.round(perSecond * seconds))
  for (let round = 0; round < rounds; round++)
    for (const one of measured) {
      if (one.failure !== null) continue
      const { target } = one
      const job = {
        kind: 'requests',
        target,
        requests,
        stream: false,
        perSecond,
        answerMs: ANSWER_MS,
      } as const
      // Enough connections that none has to wait for another's answer.
      const clients = Math.min(requests, Math.ceil((perSecond * ANSWER_MS * 4) / 1_000))
      try {
        one.rounds.push(await session.load.run({ ...job, clients }))
      } catch (error) {
        one.failure = errorMessage(error)
      }
    }
  return measured
}

/** `all`: for each rate, the same targets. */
function createTable(all: readonly RateMeasurement[][]): Table {
  const names = all[0]?.map(({ target }) => target.name) ?? []
  return {
    title: `Requests a second, answered after ${ANSWER_MS} ms: the time, and what is added to that of the bare proxy`,
    columns: ['target', ...RATES.flatMap(({ perSecond }) => [`${perSecond}: p50`, 'p99'])],
    isDetail: true,
    rows: names.map((name) => [name, ...all.flatMap((measured) => rateCells(name, measured))]),
  }
}

function rateCells(name: string, measured: readonly RateMeasurement[]): string[] {
  const one = measured.find(({ target }) => target.name === name)
  if (!one || one.failure !== null) return ['failed', one?.failure ?? '']
  return (['p50', 'p99'] as const).map((at) => {
    const middle = milliseconds(median(one.rounds.map(({ total }) => total[at])))
    return name === BARE ? middle : `${middle} (${signed(compareRounds(one, measured, at))})`
  })
}

/** The median of the rounds' differences to the bare proxy, in milliseconds. */
function compareRounds(
  one: RateMeasurement,
  measured: readonly RateMeasurement[],
  quantile: 'p50' | 'p99',
): number {
  const bare = measured.find(({ target }) => target.name === BARE)?.rounds ?? []
  return median(
    one.rounds.flatMap(({ total }, index) => {
      const other = bare[index]
      return other ? [total[quantile] - other.total[quantile]] : []
    }),
  )
}
