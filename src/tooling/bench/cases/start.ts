// Measures the time from the start of the headless program until it listens, and the memory that it then has when idle.
import { setTimeout as delay } from 'node:timers/promises'
import { readProcessState } from '../../soak/process-state.ts'
import { sharedNow } from '../clock.ts'
import { createAdminKey, startGateway } from '../gateway.ts'
import { findLine } from '../processes.ts'
import { atMost, type CaseReport, count, inMebibytes, milliseconds, times } from '../report.ts'
import { measureInTurn } from '../rounds.ts'
import { copySeeded } from '../seeded.ts'
import type { Session } from '../session.ts'
import { computeSpread, type Spread } from '../statistics.ts'

const MAX_START_MS = 350
const MAX_OWN_START_MS = 250
const MAX_GROWTH = 1.2
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
  const ways = [
    { name: 'empty Node process', time: () => timeEmptyNode(session) },
    { name: 'no requests', time: () => session.timeStart(empty) },
    { name: `${count(many)} requests`, time: () => session.timeStart(seeded) },
    { name: 'new data dir', time: () => session.timeStart(session.newDataDir()) },
  ]
  const measured = await measureInTurn(ways, starts, ({ time }) => time())
  const spreads = [...measured].map(([name, { rounds, failure }]): [string, Spread] => {
    if (failure !== null) throw new Error(failure)
    return [name, computeSpread(rounds)]
  })

  const gateway = await startGateway(session.processes, session.program, empty)
  await delay(idleMs)
  const { rssMiB } = readProcessState(gateway.pid)
  await session.processes.stop(gateway.pid)
  const [node = Number.NaN, none = Number.NaN, full = Number.NaN] = spreads.map(([, { median }]) => median)
  const name = 'start to listening'
  const overNode = `${name}, without the time of an empty Node process`
  return {
    goals: [
      atMost(name, none, MAX_START_MS, milliseconds),
      atMost(overNode, none - node, MAX_OWN_START_MS, milliseconds),
      atMost(`${name} with ${count(many)} requests, relative to none`, full / none, MAX_GROWTH, times),
      atMost('memory of the idle headless program', rssMiB, MAX_MEMORY_MIB, inMebibytes),
    ],
    tables: [
      {
        title: 'Start until it listens',
        columns: ['data', 'median', 'fastest', 'slowest'],
        rows: spreads.map(([way, { median, min, max }]) => [way, ...[median, min, max].map(milliseconds)]),
      },
    ],
  }
}

async function timeEmptyNode({ processes }: Session): Promise<number> {
  const startedAt = sharedNow()
  await findLine(processes.startNode(['-e', 'process.stdout.write("started\\n")']).stdout)
  return sharedNow() - startedAt
}
