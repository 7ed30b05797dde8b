// The cost of a long request log: equal work with few requests in the log and with many.
import { sharedNow } from '../clock.ts'
import { startGateway } from '../gateway.ts'
import { atMost, type CaseReport, count, milliseconds, times } from '../report.ts'
import { copySeeded } from '../seeded.ts'
import type { RunningGateway, Session } from '../session.ts'
import { median } from '../statistics.ts'

const ROUNDS = 7
const MAX_RATIO = 1.3
const DAY_MS = 24 * 60 * 60_000

/** Each returns milliseconds. The first two are of the same requests. */
type Measurements = Record<
  'admission' | 'settlement' | 'first page of the log' | 'Overview' | 'start',
  number[]
>

export async function measureGrowth(session: Session): Promise<CaseReport> {
  const logs: { requests: number; running: RunningGateway; measured: Measurements }[] = []
  for (const requests of session.sizes.growth) {
    const dataDir = session.newDataDir()
    copySeeded(requests, dataDir)
    const running = await session.startHeadless({ dataDir })
    logs.push({ requests, running, measured: noMeasurements() })
  }
  for (let round = 0; round <= ROUNDS; round++)
    for (const { running, measured } of logs) {
      // The first round warms up.
      await measureOnce(session, running, round === 0 ? noMeasurements() : measured)
    }
  for (const { running } of logs) await session.processes.stop(running.gateway.pid)
  for (let round = 0; round < session.sizes.starts; round++)
    for (const { running, measured } of logs) measured.start.push(await timeStart(session, running.dataDir))

  const names = ['admission', 'settlement', 'first page of the log', 'Overview', 'start'] as const
  const [few, ...more] = logs
  const medians = (name: keyof Measurements) => logs.map(({ measured }) => median(measured[name]))
  const goals = more.flatMap(({ requests, measured }) =>
    names.map((name) => {
      const ratio = median(measured[name]) / median(few?.measured[name] ?? [])
      const title = `${name} with ${count(requests)} requests, relative to ${count(few?.requests ?? 0)}`
      return atMost(title, ratio, MAX_RATIO, times)
    }),
  )
  const columns = ['', ...logs.map(({ requests }) => `${count(requests)} requests`)]
  const rows = names.map((name) => [name, ...medians(name).map(milliseconds)])
  return { goals, tables: [{ title: 'A growing request log', columns, rows, isDetail: true }] }
}

function noMeasurements(): Measurements {
  return { admission: [], settlement: [], 'first page of the log': [], Overview: [], start: [] }
}

async function measureOnce(
  session: Session,
  { target, admin }: RunningGateway,
  into: Measurements,
): Promise<void> {
  const requests = session.sizes.growthRequests
  const job = { kind: 'requests', target, requests, clients: 1, stream: false } as const
  const { there, back } = await session.load.run(job)
  into.admission.push(there.p50)
  into.settlement.push(back.p50)
  into['first page of the log'].push(await time(() => admin.call('GET', '/v1/requests?limit=60')))
  // As the window asks for the sums of its Overview.
  const from = new Date(Date.now() - 32 * DAY_MS).toISOString()
  const sums = ['key', 'model', 'client'].map((by) => `/v1/usage?groupBy=day&splitBy=${by}&from=${from}`)
  into.Overview.push(await time(() => Promise.all(sums.map((path) => admin.call('GET', path)))))
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = sharedNow()
  await work()
  return sharedNow() - startedAt
}

async function timeStart({ processes, program }: Session, dataDir: string): Promise<number> {
  const { pid, readyMs } = await startGateway(processes, program, dataDir)
  await processes.stop(pid)
  return readyMs
}
