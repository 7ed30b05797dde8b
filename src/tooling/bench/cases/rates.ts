// Requests at a fixed rate to a provider that takes its time, as from people and agents: what the gateway adds to each.
import { atMost, type CaseReport, type Goal, milliseconds, signed } from '../report.ts'
import { CLIENTS, type RequestsMeasurement, sendRequests } from '../requests.ts'
import { compareRounds, measureInTurn, type Rounds } from '../rounds.ts'
import { BARE, HEADLESS, type Session, UPSTREAM } from '../session.ts'
import { median } from '../statistics.ts'

/** The time in which the provider answers. */
const ANSWER_MS = 50
/** The rates, and the milliseconds that may be added to two quantiles; null where there is no target. */
const RATES = [
  { perSecond: 10, p50: null, p99: null },
  { perSecond: 100, p50: 0.6, p99: 2 },
  { perSecond: 500, p50: null, p99: 3 },
] as const
const QUANTILES = ['p50', 'p99'] as const

export async function measureRates(session: Session): Promise<CaseReport> {
  const { rates, warmUp } = session.sizes
  const { targets } = await session.compared()
  const measured = targets.filter(({ name }) => name !== UPSTREAM)
  const goals: Goal[] = []
  const rows = new Map(measured.map(({ name }) => [name, [name]]))
  for (const { perSecond, ...limits } of RATES) {
    const requests = Math.max(1, Math.round(perSecond * rates.seconds))
    // Enough connections that none has to wait for another's answer.
    const clients = Math.min(requests, Math.ceil((perSecond * ANSWER_MS * 4) / 1_000))
    const results = await measureInTurn(measured, rates.rounds, (target, isWarmUp) =>
      isWarmUp
        ? sendRequests(target, { requests: warmUp, clients: CLIENTS, stream: false })
        : sendRequests(target, { requests, clients, stream: false, perSecond, answerMs: ANSWER_MS }),
    )
    const bare = results.get(BARE)
    for (const at of QUANTILES) {
      const limit = limits[at]
      const name = `${perSecond} requests a second: over the bare proxy, ${at}`
      if (limit !== null) goals.push(atMost(name, getAdded(results.get(HEADLESS), bare, at), limit, signed))
    }
    for (const [name, result] of results)
      rows
        .get(name)
        ?.push(...(result.failure === null ? timeCells(result, bare) : ['failed', result.failure]))
  }
  const title = `Requests a second, answered after ${ANSWER_MS} ms: the time, and what is added to that of the bare proxy`
  const columns = ['target', ...RATES.flatMap(({ perSecond }) => [`${perSecond}: p50`, 'p99'])]
  return { goals, tables: [{ title, columns, rows: [...rows.values()], isDetail: true }] }
}

type Results = Rounds<RequestsMeasurement>

function timeCells(result: Results, bare: Results | undefined): string[] {
  return QUANTILES.map((at) => {
    const middle = milliseconds(median(result.rounds.map(({ total }) => total[at])))
    const added = result === bare ? null : getAdded(result, bare, at)
    return added === null ? middle : `${middle} (${signed(added)})`
  })
}

/** The median of the rounds' differences to the bare proxy, in milliseconds. */
function getAdded(
  result: Results | undefined,
  bare: Results | undefined,
  at: (typeof QUANTILES)[number],
): number | null {
  return compareRounds(result, bare, (one, other) => one.total[at] - other.total[at])?.median ?? null
}
