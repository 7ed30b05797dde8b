// Measures the time from the start of the headless program until it listens, and the memory that it then has when idle.
import { setTimeout as delay } from 'node:timers/promises'
import { readProcessState } from '../../soak/process-state.ts'
import { sharedNow } from '../clock.ts'
import { createAdminKey, startGateway } from '../gateway.ts'
import { findLine } from '../processes.ts'
import { atMost, type CaseReport, count, type Goal, inMebibytes, milliseconds, times } from '../report.ts'
import { copySeeded } from '../seeded.ts'
import type { Session } from '../session.ts'
import { computeSpread, median } from '../statistics.ts'

const MAX_START_MS = 350
const MAX_OWN_START_MS = 250
const MAX_MEMORY_MIB = 100

export async function measureStart(session: Session): Promise<CaseReport> {
  const { starts, idleMs, growth } = session.sizes
  const many = growth[1] ?? 0
  const empty = session.newDataDir()
  // The database is created once; that is not part of later starts.
  await createAdminKey(session.processes, session.program, empty)
  const seeded = session.newDataDir()
  copySeeded(many, seeded)
  await createAdminKey(session.processes, session.program, seeded)
  const ways: Record<string, () => Promise<number>> = {
    'empty Node process': () => timeEmptyNode(session),
    'no requests': () => timeStart(session, empty),
    [`${count(many)} requests`]: () => timeStart(session, seeded),
    'new data dir': () => timeStart(session, session.newDataDir()),
  }
  const measured = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]))
  for (let time = 0; time < starts; time++)
    for (const [name, run] of Object.entries(ways)) measured.get(name)?.push(await run())

  const gateway = await startGateway(session.processes, session.program, empty)
  await delay(idleMs)
  const { rssMiB } = readProcessState(gateway.pid)
  await session.processes.stop(gateway.pid)
  return {
    goals: createGoals(measured, many, rssMiB),
    tables: [
      {
        title: 'Start until it listens',
        columns: ['data', 'median', 'fastest', 'slowest'],
        rows: [...measured].map(([name, values]) => {
          const { median: middle, min, max } = computeSpread(values)
          return [name, ...[middle, min, max].map(milliseconds)]
        }),
      },
    ],
  }
}

async function timeEmptyNode({ processes }: Session): Promise<number> {
  const startedAt = sharedNow()
  await findLine(processes.startNode(['-e', 'process.stdout.write("started\\n")']).stdout)
  return sharedNow() - startedAt
}

async function timeStart({ processes, program }: Session, dataDir: string): Promise<number> {
  const { pid, readyMs } = await startGateway(processes, program, dataDir)
  await processes.stop(pid)
  return readyMs
}

function createGoals(measured: ReadonlyMap<string, readonly number[]>, many: number, rssMiB: number): Goal[] {
  const of = (name: string) => median(measured.get(name) ?? [])
  const without = of('no requests')
  const own = without - of('empty Node process')
  const growth = of(`${count(many)} requests`) / without
  return [
    atMost('start to listening', without, MAX_START_MS, milliseconds),
    atMost(
      'start to listening, without the time of an empty Node process',
      own,
      MAX_OWN_START_MS,
      milliseconds,
    ),
    atMost(`start to listening with ${count(many)} requests, relative to none`, growth, 1.2, times),
    atMost('memory of the idle headless program', rssMiB, MAX_MEMORY_MIB, inMebibytes),
  ]
}
