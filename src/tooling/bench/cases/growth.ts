// The cost of a long request log: equal work with few requests in the log and with many. `start` measures the starts.
import { sharedNow } from '../clock.ts'
import { atMost, type CaseReport, count, milliseconds, times } from '../report.ts'
import { sendRequests } from '../requests.ts'
import { measureInTurn } from '../rounds.ts'
import { copySeeded } from '../seeded.ts'
import type { RunningGateway, Session } from '../session.ts'
import { median } from '../statistics.ts'

const ROUNDS = 7
const MAX_RATIO = 1.3
const DAY_MS = 24 * 60 * 60_000

/** Milliseconds. The first two are of the same requests. */
type Measurement = Record<(typeof MEASURED)[number], number>
const MEASURED = ['admission', 'settlement', 'first page of the log', 'Overview'] as const

export async function measureGrowth(session: Session): Promise<CaseReport> {
  const logs: (RunningGateway & { name: string })[] = []
  for (const requests of session.sizes.growth) {
    const dataDir = session.newDataDir()
    copySeeded(requests, dataDir)
    logs.push({ name: `${count(requests)} requests`, ...(await session.startHeadless({ dataDir })) })
  }
  const measured = await measureInTurn(logs, ROUNDS, (log) => measureOnce(log, session.sizes.growthRequests))
  for (const { target } of logs) await session.processes.stop(target.pid)

  const results = [...measured].map(([log, { rounds, failure }]) => {
    if (failure !== null) throw new Error(failure)
    return { log, middle: (name: keyof Measurement) => median(rounds.map((round) => round[name])) }
  })
  const [few, ...more] = results
  const goals = more.flatMap(({ log, middle }) =>
    MEASURED.map((name) => {
      const title = `${name} with ${log}, relative to ${few?.log.split(' ')[0]}`
      return atMost(title, middle(name) / (few?.middle(name) ?? 0), MAX_RATIO, times)
    }),
  )
  const rows = MEASURED.map((name) => [name, ...results.map(({ middle }) => milliseconds(middle(name)))])
  const columns = ['', ...measured.keys()]
  return { goals, tables: [{ title: 'A growing request log', columns, rows, isDetail: true }] }
}

async function measureOnce({ target, admin }: RunningGateway, requests: number): Promise<Measurement> {
  const { there, back } = await sendRequests(target, { requests, clients: 1, stream: false })
  // As the window asks for the sums of its Overview.
  const from = new Date(Date.now() - 32 * DAY_MS).toISOString()
  const sums = ['key', 'model', 'client'].map((by) => `/v1/usage?groupBy=day&splitBy=${by}&from=${from}`)
  return {
    admission: there.p50,
    settlement: back.p50,
    'first page of the log': await time(() => admin.call('GET', '/v1/requests?limit=60')),
    Overview: await time(() => Promise.all(sums.map((path) => admin.call('GET', path)))),
  }
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = sharedNow()
  await work()
  return sharedNow() - startedAt
}
