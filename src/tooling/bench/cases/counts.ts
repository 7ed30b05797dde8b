// Counts that do not depend on the machine: what one request creates, which files and functions it enters, and how often a start
// waits for the disk.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { root } from '../../commands.ts'
import { findLine, getPid } from '../processes.ts'
import { atMost, type CaseReport } from '../report.ts'
import { sendRequests } from '../requests.ts'
import type { Session } from '../session.ts'
import { median } from '../statistics.ts'

const REQUESTS = 20
const BATCHES = 11
/** A young generation so large that little is collected while requests are counted. */
const NO_COLLECTIONS = ['--min-semi-space-size=128', '--max-semi-space-size=128']

export async function measureCounts(session: Session): Promise<CaseReport> {
  const [files, functions] = await traceStream(session)
  const start = await traceStart(session)
  const promises = await countPerRequest(session, 'promises', [])
  const heap = await countPerRequest(session, 'heap', NO_COLLECTIONS)
  return {
    goals: [
      atMost('files entered by a streamed request', files, 70),
      atMost('functions called by a streamed request', functions, 400),
      atMost('promises of the main thread per plain request', promises, 12),
      atMost('bytes of the main thread’s heap per plain request', heap, 40_000),
      atMost('waits for the disk at the first start', start?.waits ?? null, 35),
      atMost('bytes of scripts loaded at the start', start?.scriptBytes ?? null, 1_800_000),
    ],
    tables: [],
    remarks: start === null ? ['The start is not counted, because strace is not installed.'] : [],
  }
}

/** Returns how many files and functions a streamed request enters. */
async function traceStream({ processes }: Session): Promise<[number, number]> {
  const child = processes.startNode([join(root, 'src/tooling/trace-request.ts')])
  const line = await findLine(child.stdout, /^\d+ files, \d+ functions$/)
  const [files = 0, functions = 0] = line.match(/\d+/g)?.map(Number) ?? []
  return [files, functions]
}

async function countPerRequest(
  session: Session,
  counted: 'promises' | 'heap',
  flags: readonly string[],
): Promise<number> {
  const dir = session.newDataDir()
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'counts')
  const hook = ['--import', join(root, 'src/tooling/bench/count-hook.ts'), ...flags]
  const variables = { COUNTS_FILE: file, COUNTS_OF: counted }
  Object.assign(process.env, variables)
  const { target } = await session.startHeadless({ program: [...hook, ...session.program] })
  for (const name of Object.keys(variables)) delete process.env[name]
  const load = { requests: REQUESTS, clients: 1, stream: false }
  const read = async (): Promise<number> => {
    rmSync(file, { force: true })
    process.kill(target.pid, 'SIGUSR2')
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await delay(5)
    return Number(readFileSync(file, 'utf8'))
  }
  // The first requests load and compile. The median leaves out a batch in which memory was collected.
  await sendRequests(target, { ...load, requests: REQUESTS * BATCHES })
  const differences: number[] = []
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const before = await read()
    await sendRequests(target, load)
    differences.push((await read()) - before)
  }
  await session.processes.stop(target.pid)
  return Math.round(median(differences) / REQUESTS)
}

/** What the first start on a new data dir asks of the system; null without strace. */
async function traceStart(session: Session): Promise<{ waits: number; scriptBytes: number } | null> {
  if (!isInstalled('strace')) return null
  const dir = session.newDataDir()
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'calls')
  const flags = ['--port', '0', '--credentials', 'memory', '--data-dir', join(dir, 'data')]
  const serve = [...session.program, 'serve', ...flags]
  // The option -D makes the program the child: strace would leave it running when it is stopped.
  const traced = ['-D', '-f', '-e', 'trace=fsync,fdatasync,openat', '-o', file, process.execPath, ...serve]
  const child = session.processes.start('strace', traced)
  await findLine(child.stdout)
  const calls = readFileSync(file, 'utf8').split('\n')
  await session.processes.stop(getPid(child))
  const opened = calls.flatMap((call) => /openat\([^"]*"([^"]*\/out\/main\/[^"]+\.js)"/.exec(call)?.[1] ?? [])
  return {
    waits: calls.filter((call) => /\bf(data)?sync\(/.test(call)).length,
    scriptBytes: [...new Set(opened)].reduce((sum, path) => sum + statSync(path).size, 0),
  }
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
