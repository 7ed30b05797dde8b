// A thousand streams at a time, each with 20 chunks a second: what the gateway adds to the delay of a chunk.
import { errorMessage } from '../../../shared/values/text.ts'
import { readProcessState } from '../../soak/process-state.ts'
import type { PacedFigures, Target } from '../jobs.ts'
import { type ProcessorTime, readProcessorTime, subtractTime, sumTime } from '../processor-time.ts'
import {
  atMost,
  type CaseReport,
  count,
  type Goal,
  inMebibytes,
  milliseconds,
  signed,
  times,
} from '../report.ts'
import { BARE, HEADLESS, type Session, UPSTREAM } from '../session.ts'
import { CHUNK_INTERVAL_MS } from '../sizes.ts'
import type { Targets } from '../targets.ts'

const MAX_MEMORY_MIB = 300

interface PacedMeasurement extends PacedFigures {
  target: Target
  /** Microseconds of processor time for each chunk, while no stream began or ended. */
  usPerChunk: number
  memoryMiB: number
}

export async function measurePacedStreams(session: Session, { targets }: Targets): Promise<CaseReport> {
  const measured: PacedMeasurement[] = []
  const failed: string[][] = []
  for (const target of targets.filter(({ name }) => name !== UPSTREAM)) {
    try {
      measured.push(await measure(session, target))
    } catch (error) {
      failed.push([target.name, `failed: ${errorMessage(error)}`])
    }
  }
  const { streams } = session.sizes.paced
  const columns = ['p50', 'p99', 'p99.9', 'max', 'chunks over 50 ms', 'µs per chunk', 'memory']
  const rows = measured.map(({ target, chunks, late, usPerChunk, memoryMiB, ...delays }) => [
    target.name,
    ...[delays.p50, delays.p99, delays.p999, delays.max].map(milliseconds),
    `${count(late)} of ${count(chunks)}`,
    usPerChunk.toFixed(1),
    `${memoryMiB} MiB`,
  ])
  const title = `${count(streams)} streams with a chunk every ${CHUNK_INTERVAL_MS} ms: delay of a chunk`
  return {
    goals: createGoals(measured, streams),
    tables: [{ title, columns: ['target', ...columns], rows: [...rows, ...failed], isDetail: true }],
  }
}

async function measure(session: Session, target: Target): Promise<PacedMeasurement> {
  let before: ProcessorTime | null = null
  let us = 0
  let memoryMiB = 0
  const job = { kind: 'paced', target, intervalMs: CHUNK_INTERVAL_MS, ...session.sizes.paced } as const
  const received = await session.load.run(job, {
    begin: () => {
      before = readProcessorTime(target.pid)
    },
    end: () => {
      if (before) us = sumTime(subtractTime(readProcessorTime(target.pid), before))
      memoryMiB = readProcessState(target.pid).rssMiB
    },
  })
  return { ...received, target, memoryMiB, usPerChunk: us / received.chunks }
}

function createGoals(measured: readonly PacedMeasurement[], streams: number): Goal[] {
  const bare = measured.find(({ target }) => target.name === BARE)
  const own = measured.find(({ target }) => target.name === HEADLESS)
  if (!bare || !own) return []
  const perChunk = own.usPerChunk / bare.usPerChunk
  const added = own.p999 - bare.p999
  const name = `${count(streams)} streams`
  return [
    {
      name: 'processor time per streamed chunk relative to the bare proxy',
      measured: `${times(perChunk)} (${own.usPerChunk.toFixed(0)} µs)`,
      target: '≤ 1.50 ×',
      met: perChunk <= 1.5,
    },
    atMost(`${name}: delay of a chunk that we add, p99.9`, added, 50, signed),
    atMost(`${name}: memory`, own.memoryMiB, MAX_MEMORY_MIB, inMebibytes),
  ]
}
