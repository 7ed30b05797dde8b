// The cost of optional features for a plain request, as processor time. One gateway does all of it, so that nothing but the
// feature differs.
import { expectOk, type TestClient } from '../../../gateway/testing/gateway.ts'
import { startProcessorTime, sumTime, THREADS } from '../processor-time.ts'
import { type CaseReport, count, times } from '../report.ts'
import { CLIENTS, sendRequests } from '../requests.ts'
import { compareRounds, measureInTurn } from '../rounds.ts'
import type { Session } from '../session.ts'
import { median } from '../statistics.ts'

interface Variant {
  name: string
  headers?: Record<string, string>
  before?(admin: TestClient): Promise<unknown>
  after?(admin: TestClient): Promise<unknown>
}

const PLAIN = 'a plain request, with the runaway guard'

export async function measureFeatures(session: Session): Promise<CaseReport> {
  const { rounds, plain, warmUp } = session.sizes
  const { admin, target } = await session.startHeadless()
  const all = variants((await session.upstream()).origin)
  const measured = await measureInTurn(all, rounds, async ({ headers, before, after }, isWarmUp) => {
    const requests = isWarmUp ? warmUp : plain.together
    await before?.(admin)
    const getTime = startProcessorTime(target.pid)
    const asking = { ...target, headers: { ...target.headers, ...headers } }
    await sendRequests(asking, { stream: false, clients: CLIENTS, requests })
    // Work that the feature has put off, such as an export, is part of its cost.
    await after?.(admin)
    return getTime(requests)
  })
  await session.processes.stop(target.pid)
  const rows = [...measured].map(([name, one]) => {
    const relative = compareRounds(one, measured.get(PLAIN), (a, b) => sumTime(a) / sumTime(b))
    const threads = THREADS.map((thread) => count(median(one.rounds.map((time) => time[thread]))))
    const sum = median(one.rounds.map((time) => sumTime(time)))
    return [name, one.failure ?? times(relative?.median ?? Number.NaN), count(sum), ...threads]
  })
  const title = 'Features: processor time per request, in µs'
  const columns = ['', 'relative to plain', 'all threads', ...THREADS]
  return { goals: [], tables: [{ title, columns, rows, isDetail: true }] }
}

function variants(upstream: string): readonly Variant[] {
  const patch = (path: string, body: object) => (admin: TestClient) =>
    expectOk(admin.call('PATCH', path, { body }))
  const guard = (enabled: boolean) => patch('/v1/settings', { guard: { enabled, sensitivity: 'standard' } })
  const exportTo = (endpoint: string | null) =>
    patch('/v1/telemetry', { endpoint, traces: true, metrics: true })
  const marks = { 'x-tollgate-session': 'bench', 'x-tollgate-tag': 'Bench' }
  return [
    { name: PLAIN },
    { name: 'without the guard', before: guard(false), after: guard(true) },
    { name: 'with a session and a tag', headers: marks },
    { name: 'exported by OTLP', before: exportTo(`${upstream}/otlp`), after: exportTo(null) },
  ]
}
