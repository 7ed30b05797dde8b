// Where the gateway spends its processor time: self time by function and by file, of V8's sampling profiler in each thread.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { CaseReport, Table } from './report.ts'
import type { Session } from './session.ts'

const SAMPLE_US = 200
const ROWS = 25
/** Threads that were busy for less are left out. */
const MIN_BUSY_SHARE = 0.05

const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
})
type Profile = z.infer<typeof Profile>

export async function measureProfile(session: Session, stream: boolean): Promise<CaseReport> {
  const dir = session.newDataDir()
  const flags = ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-interval=${SAMPLE_US}`]
  const { target, gateway } = await session.startHeadless(undefined, [...flags, ...session.program])
  const { plain, streams, rounds } = session.sizes
  const requests = (stream ? streams : plain).together * rounds
  await session.load.run({ kind: 'requests', target, requests, clients: 32, stream })
  await session.processes.stop(gateway.pid)
  const profiles = readdirSync(dir).map((name) => summarize(readProfile(join(dir, name))))
  const most = Math.max(...profiles.map(({ busyUs }) => busyUs))
  const title = stream ? 'streams of 50 chunks' : 'plain requests'
  return {
    goals: [],
    tables: profiles
      .filter(({ busyUs }) => busyUs >= most * MIN_BUSY_SHARE)
      .toSorted((a, b) => b.busyUs - a.busyUs)
      .flatMap((profile) => tablesOf(profile, `${title}, ${profile.thread}`)),
  }
}

interface Summary {
  thread: string
  busyUs: number
  byFunction: Map<string, number>
  byFile: Map<string, number>
}

function readProfile(path: string): Profile {
  return Profile.parse(JSON.parse(readFileSync(path, 'utf8')))
}

function summarize({ nodes, samples, timeDeltas }: Profile): Summary {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const summary: Summary = { thread: threadOf(nodes), busyUs: 0, byFunction: new Map(), byFile: new Map() }
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id)
    if (frame === undefined || frame.functionName === '(idle)') continue
    const us = timeDeltas[index] ?? 0
    const name = frame.functionName || '(anonymous)'
    const file = frame.url === '' ? name : fileOf(frame.url)
    summary.busyUs += us
    add(summary.byFunction, frame.url === '' ? name : `${name} ${file}:${frame.lineNumber + 1}`, us)
    add(summary.byFile, file, us)
  }
  return summary
}

function add(sums: Map<string, number>, name: string, us: number): void {
  sums.set(name, (sums.get(name) ?? 0) + us)
}

function threadOf(nodes: Profile['nodes']): string {
  const runs = (pattern: RegExp) => nodes.some(({ callFrame }) => pattern.test(callFrame.url))
  if (runs(/\/store-worker\.js$|\/store\/worker\.ts$/)) return 'a thread of the store'
  return runs(/\/cli\.(js|ts)$/) ? 'main thread' : 'another thread'
}

/** The path inside the package or the project, without the hash of a built file. */
function fileOf(url: string): string {
  const path = url.replace(/^file:\/\/.*\/node_modules\//, '').replace(/^file:\/\/.*\/(?=(out|src)\/)/, '')
  return path.replace(/-[\w-]{8}\.js$/, '.js')
}

function tablesOf({ busyUs, byFunction, byFile }: Summary, title: string): Table[] {
  const table = (what: string, sums: Map<string, number>): Table => ({
    title: `Profile of ${title}: self time by ${what}`,
    columns: [what, 'share'],
    rows: [...sums]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, ROWS)
      .map(([name, us]) => [name, `${((us / busyUs) * 100).toFixed(1)} %`]),
  })
  return [table('file', byFile), table('function', byFunction)]
}
