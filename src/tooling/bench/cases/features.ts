// The cost of optional features for a plain request, as processor time. One gateway does all of it, so that nothing but the
// feature differs.

import type { Admin } from '../gateway.ts'
import type { Target } from '../jobs.ts'
import {
  mapTime,
  type ProcessorTime,
  readProcessorTime,
  subtractTime,
  sumTime,
  THREADS,
} from '../processor-time.ts'
import { type CaseReport, count, times } from '../report.ts'
import type { Session } from '../session.ts'
import { computeSpread, median } from '../statistics.ts'

interface Variant {
  name: string
  headers?: Record<string, string>
  before?(admin: Admin): Promise<unknown>
  after?(admin: Admin): Promise<unknown>
}

const PLAIN = 'a plain request, with the runaway guard'

export async function measureFeatures(session: Session): Promise<CaseReport> {
  const { rounds, plain, warmUp } = session.sizes
  const { admin, target, gateway } = await session.startHeadless()
  const all = variants((await session.upstream()).origin)
  const measured = new Map(all.map(({ name }) => [name, [] as ProcessorTime[]]))
  // The first round warms up.
  for (let round = 0; round <= rounds; round++)
    for (const variant of all) {
      const requests = round === 0 ? warmUp : plain.together
      const time = await measureOnce(session, { admin, target, variant, requests })
      if (round > 0) measured.get(variant.name)?.push(time)
    }
  await session.processes.stop(gateway.pid)

  const plainSums = (measured.get(PLAIN) ?? []).map(sumTime)
  const rows = [...measured].map(([name, values]) => {
    const sums = values.map(sumTime)
    const relative = computeSpread(sums.map((us, round) => us / (plainSums[round] ?? 0)))
    const threads = THREADS.map((thread) => count(median(values.map((time) => time[thread]))))
    return [name, times(relative.median), count(median(sums)), ...threads]
  })
  const columns = ['', 'relative to plain', 'all threads', ...THREADS]
  return {
    goals: [],
    tables: [{ title: 'Features: processor time per request, in µs', columns, rows, isDetail: true }],
  }
}

function variants(upstream: string): readonly Variant[] {
  const guard = (enabled: boolean) => (admin: Admin) =>
    admin.call('PATCH', '/v1/settings', { guard: { enabled, sensitivity: 'standard' } })
  const exportTo = (endpoint: string | null) => (admin: Admin) =>
    admin.call('PATCH', '/v1/telemetry', { endpoint, protocol: 'http/protobuf', traces: true, metrics: true })
  return [
    { name: PLAIN },
    { name: 'without the guard', before: guard(false), after: guard(true) },
    {
      name: 'with a session and a tag',
      headers: { 'x-tollgate-session': 'bench', 'x-tollgate-tag': 'Bench' },
    },
    { name: 'exported by OTLP', before: exportTo(`${upstream}/otlp`), after: exportTo(null) },
  ]
}

async function measureOnce(
  session: Session,
  once: { admin: Admin; target: Target; variant: Variant; requests: number },
): Promise<ProcessorTime> {
  const { admin, target, variant, requests } = once
  const headers = { ...target.headers, ...variant.headers }
  await variant.before?.(admin)
  const startTime = readProcessorTime(target.pid)
  await session.load.run({
    kind: 'requests',
    stream: false,
    clients: 32,
    requests,
    target: { ...target, headers },
  })
  // Work that the feature has put off, such as an export, is part of its cost.
  await variant.after?.(admin)
  return mapTime(subtractTime(readProcessorTime(target.pid), startTime), (us) => us / requests)
}
