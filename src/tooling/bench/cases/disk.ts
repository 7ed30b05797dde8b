// The disk space of a request without its bodies, after a checkpoint.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createAdminKey } from '../gateway.ts'
import { atMost, type CaseReport, count } from '../report.ts'
import { CLIENTS, sendRequests } from '../requests.ts'
import { copySeeded } from '../seeded.ts'
import type { Session } from '../session.ts'

const MAX_BYTES = 600

export async function measureDisk(session: Session): Promise<CaseReport> {
  const { processes, program, sizes } = session
  const empty = session.newDataDir()
  await createAdminKey(processes, program, empty)
  const emptyBytes = databaseBytes(empty)

  const { target, dataDir } = await session.startHeadless()
  const requests = sizes.plain.together * sizes.rounds
  await sendRequests(target, { requests, clients: CLIENTS, stream: false })
  // Stopping makes a checkpoint.
  await processes.stop(target.pid)

  const many = sizes.growth[1] ?? 0
  const seeded = session.newDataDir()
  copySeeded(many, seeded)
  // Migrations and what the program does at its start count too.
  await session.timeStart(seeded)

  const own = (databaseBytes(dataDir) - emptyBytes) / requests
  const mixed = (databaseBytes(seeded) - emptyBytes) / many
  const goal = (name: string, bytes: number) =>
    atMost(`disk per request without bodies: ${name}`, bytes, MAX_BYTES, (value) => `${count(value)} B`)
  return {
    goals: [
      goal(`${count(requests)} equal requests`, own),
      goal(`${count(many)} requests of many keys, models and clients`, mixed),
    ],
    tables: [],
  }
}

function databaseBytes(dataDir: string): number {
  return ['', '-wal']
    .map((suffix) => statSync(join(dataDir, `tollgate.db${suffix}`), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
}
