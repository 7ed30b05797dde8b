// A thousand streams at a time, each with 20 chunks a second: what the gateway adds to the delay of a chunk.
import { errorMessage } from '../../../shared/values/text.ts'
import { readProcessState } from '../../soak/process-state.ts'
import type { Target } from '../chat-request.ts'
import { startProcessorTime, sumTime } from '../processor-time.ts'
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
import { type ChunkDelays, receiveStreams } from '../streams.ts'

const MAX_MEMORY_MIB = 300
const MAX_ADDED_MS = 50
const MAX_TIME_RATIO = 1.5

interface PacedMeasurement extends ChunkDelays {
  /** Microseconds of processor time for each chunk, while no stream began or ended. */
  usPerChunk: number
  memoryMiB: number
}

export async function measurePacedStreams(session: Session): Promise<CaseReport> {
  const { targets } = await session.compared()
  const measured = new Map<string, PacedMeasurement>()
  const rows: string[][] = []
  for (const target of targets.filter(({ name }) => name !== UPSTREAM)) {
    try {
      const one = await measure(session, target)
      measured.set(target.name, one)
      rows.push([
        ...[target.name, ...[one.p50, one.p99, one.p999, one.max].map(milliseconds)],
        `${count(one.late)} of ${count(one.chunks)}`,
        ...[one.usPerChunk.toFixed(1), inMebibytes(one.memoryMiB)],
      ])
    } catch (error) {
      rows.push([target.name, `failed: ${errorMessage(error)}`])
    }
  }
  const columns = ['target', 'p50', 'p99', 'p99.9', 'max', 'chunks over 50 ms', 'µs per chunk', 'memory']
  return {
    goals: createGoals(measured, `${count(session.sizes.paced.streams)} streams`),
    tables: [{ title: 'Streams with a chunk every 50 ms: delay of a chunk', columns, rows, isDetail: true }],
  }
}

async function measure(session: Session, target: Target): Promise<PacedMeasurement> {
  let getTime: ReturnType<typeof startProcessorTime> | null = null
  let us = 0
  let memoryMiB = 0
  const received = await receiveStreams(target, session.sizes.paced, {
    onBegin: () => {
      getTime = startProcessorTime(target.pid)
    },
    onEnd: () => {
      if (getTime) us = sumTime(getTime(1))
      memoryMiB = readProcessState(target.pid).rssMiB
    },
  })
  return { ...received, memoryMiB, usPerChunk: us / received.chunks }
}

function createGoals(measured: ReadonlyMap<string, PacedMeasurement>, name: string): Goal[] {
  const bare = measured.get(BARE)
  const headless = measured.get(HEADLESS)
  if (!bare || !headless) return []
  const ofTime = (ratio: number) =>
    ratio === MAX_TIME_RATIO ? times(ratio) : `${times(ratio)} (${headless.usPerChunk.toFixed(0)} µs)`
  return [
    atMost(
      'processor time per streamed chunk relative to the bare proxy',
      ...([headless.usPerChunk / bare.usPerChunk, MAX_TIME_RATIO, ofTime] as const),
    ),
    atMost(`${name}: delay of a chunk that we add, p99.9`, headless.p999 - bare.p999, MAX_ADDED_MS, signed),
    atMost(`${name}: memory`, headless.memoryMiB, MAX_MEMORY_MIB, inMebibytes),
  ]
}
