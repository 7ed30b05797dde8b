// Where the gateway spends its processor time: self time of V8's sampling profiler, in each thread that is busy.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedNow } from '../clock.ts'
import { type Profile, parseProfile, type Sample, samplesBetween } from '../cpu-profile.ts'
import { SOURCES } from '../gateway.ts'
import type { CaseReport, Table } from '../report.ts'
import type { Session } from '../session.ts'

const SAMPLE_US = 200
const ROWS = 20
/** Threads that were busy for less than this share of the busiest are left out. */
const MIN_BUSY_SHARE = 0.05

export async function measureProfile(session: Session): Promise<CaseReport> {
  const plain = await profileLoad(session, { stream: false, requests: session.sizes.plain.together })
  const streams = await profileLoad(session, { stream: true, requests: session.sizes.streams.together })
  return { goals: [], tables: [...plain, ...streams] }
}

async function profileLoad(
  session: Session,
  { stream, requests }: { stream: boolean; requests: number },
): Promise<Table[]> {
  const dir = session.newDataDir()
  const flags = ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-interval=${SAMPLE_US}`]
  // The built files are bundles, in which packages and folders cannot be told apart.
  const { target, gateway } = await session.startHeadless(undefined, [...flags, ...SOURCES])
  const load = { kind: 'requests', target, clients: 32, stream } as const
  await session.load.run({ ...load, requests: session.sizes.warmUp })
  const from = sharedNow()
  await session.load.run({ ...load, requests: requests * session.sizes.rounds })
  const until = sharedNow()
  await session.processes.stop(gateway.pid)
  const title = stream ? 'streams of 50 chunks' : 'plain requests'
  const threads = readdirSync(dir)
    .map((name) => parseProfile(readFileSync(join(dir, name), 'utf8')))
    .map((profile) => ({ name: threadOf(profile), samples: samplesBetween(profile, from, until) }))
    .map((thread) => ({ ...thread, us: sum(thread.samples) }))
    .toSorted((a, b) => b.us - a.us)
  return threads
    .filter(({ us }) => us > (threads[0]?.us ?? 0) * MIN_BUSY_SHARE)
    .flatMap(({ name, samples }) => {
      const thread = `${title}, 32 clients: self time of the ${name}`
      return [
        shareTable(`${thread}, by part`, 'part', samples, partOf),
        shareTable(`${thread}, by function`, 'function', samples, functionOf),
      ]
    })
}

function threadOf({ nodes }: Profile): string {
  const runs = (pattern: RegExp) => nodes.some(({ callFrame }) => pattern.test(callFrame.url))
  if (runs(/\/store\/worker\.ts$/)) return 'store’s thread'
  return runs(/\/host\/cli\.ts$/) ? 'main thread' : 'other thread'
}

const sum = (samples: readonly Sample[]) => samples.reduce((us, sample) => us + sample.us, 0)

function shareTable(
  title: string,
  what: string,
  samples: readonly Sample[],
  nameOf: (sample: Sample) => string,
): Table {
  const sums = new Map<string, number>()
  for (const sample of samples) sums.set(nameOf(sample), (sums.get(nameOf(sample)) ?? 0) + sample.us)
  const all = sum(samples)
  const rows = [...sums]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, ROWS)
    .map(([name, us]) => [name, `${((us / all) * 100).toFixed(1)} %`])
  return { title, columns: [what, 'share'], rows }
}

/** A folder of the project, a package, a module of Node, or a function of V8 or Node without a file. */
function partOf({ url, name }: Sample): string {
  const own = /\/src\/((?:gateway\/)?[^/]+)\//.exec(url)?.[1]
  const packaged = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (packaged !== undefined) return packaged
  if (own !== undefined) return `src/${own}`
  if (url === '') return name
  return url.startsWith('node:') ? 'Node’s JavaScript' : url
}

function functionOf({ url, name, line }: Sample): string {
  if (url === '') return name
  const path = url.replace(/^file:\/\/.*\/node_modules\//, '').replace(/^file:\/\/.*\/(?=src\/)/, '')
  return `${name} ${path}:${line}`
}
