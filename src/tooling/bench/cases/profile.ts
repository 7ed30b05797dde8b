// Where the gateway spends its processor time: self time of V8's sampling profiler, in each thread that is busy.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedNow } from '../clock.ts'
import { type Profile, parseProfile, type Sample, samplesBetween } from '../cpu-profile.ts'
import { SOURCES } from '../gateway.ts'
import type { PacedJob, RequestsJob } from '../jobs.ts'
import type { CaseReport, Table } from '../report.ts'
import type { Session } from '../session.ts'
import { CHUNK_INTERVAL_MS } from '../sizes.ts'

const SAMPLE_US = 200
const ROWS = 8
/** Threads that were busy for less than this share of the busiest are left out. */
const MIN_BUSY_SHARE = 0.05

export async function measureProfile(session: Session): Promise<CaseReport> {
  const { plain, streams, paced, rounds } = session.sizes
  const requests = { kind: 'requests', clients: 32 } as const
  const loads: readonly Load[] = [
    { title: 'plain requests, 32 clients', ...requests, stream: false, requests: plain.together * rounds },
    {
      title: 'streams of 50 chunks, 32 clients',
      ...requests,
      stream: true,
      requests: streams.together * rounds,
    },
    { title: 'many streams, chunk by chunk', kind: 'paced', ...paced, intervalMs: CHUNK_INTERVAL_MS },
  ]
  const profiles: ThreadProfile[] = []
  for (const load of loads) profiles.push(...(await profileLoad(session, load)))
  return { goals: [], tables: [partTable(profiles), ...profiles.map(functionTable)] }
}

interface ThreadProfile {
  load: string
  thread: string
  samples: readonly Sample[]
}

type Load = { title: string } & (Omit<RequestsJob, 'target'> | Omit<PacedJob, 'target'>)

async function profileLoad(session: Session, { title, ...job }: Load): Promise<ThreadProfile[]> {
  const dir = session.newDataDir()
  const flags = ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-interval=${SAMPLE_US}`]
  // The built files are bundles, in which packages and folders cannot be told apart.
  const { target, gateway } = await session.startHeadless({ program: [...flags, ...SOURCES] })
  if (job.kind === 'requests') {
    await session.load.run({ ...job, target, requests: session.sizes.warmUp })
  }
  const from = sharedNow()
  await (job.kind === 'requests'
    ? session.load.run({ ...job, target })
    : session.load.run({ ...job, target }))
  const until = sharedNow()
  await session.processes.stop(gateway.pid)
  const threads = readdirSync(dir)
    .map((name) => ({ name, profile: parseProfile(readFileSync(join(dir, name), 'utf8')) }))
    .map(({ name, profile }) => ({
      name: nameThread(name, profile),
      samples: samplesBetween(profile, from, until),
    }))
    .map((thread) => ({ ...thread, us: sum(thread.samples) }))
    .toSorted((a, b) => b.us - a.us)
  return threads
    .filter(({ us }) => us > (threads[0]?.us ?? 0) * MIN_BUSY_SHARE)
    .map(({ name, samples }) => ({ load: title, thread: name, samples }))
}

/** Node ends the name of a profile with the thread's id, which is 0 for the main one, and a number. */
function nameThread(file: string, { nodes }: Profile): string {
  if (/\.0\.\d+\.cpuprofile$/.test(file)) return 'main thread'
  const isOfStore = nodes.some(({ callFrame }) => callFrame.url.includes('/gateway/store/'))
  return isOfStore ? 'store’s thread' : 'other thread'
}

const sum = (samples: readonly Sample[]) => samples.reduce((us, sample) => us + sample.us, 0)

/** The parts of all threads, those first that take the most of all of them. */
function partTable(profiles: readonly ThreadProfile[]): Table {
  const shares = profiles.map(({ samples }) => computeShares(samples, findPart))
  const totals = new Map<string, number>()
  for (const [name, share] of shares.flatMap((each) => [...each]))
    totals.set(name, (totals.get(name) ?? 0) + share)
  return {
    title: 'Self time, by part',
    columns: ['part', ...profiles.map(({ load, thread }) => `${load}: ${thread}`)],
    rows: [...totals]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, ROWS)
      .map(([name]) => [name, ...shares.map((each) => formatShare(each.get(name) ?? 0))]),
  }
}

function functionTable({ load, thread, samples }: ThreadProfile): Table {
  const rows = [...computeShares(samples, nameFunction)]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, ROWS)
    .map(([name, share]) => [name, formatShare(share)])
  const title = `${load}: self time of the ${thread}, by function`
  return { title, columns: ['function', 'share'], rows, isDetail: true }
}

/** The share that each name has of the time of all samples. */
function computeShares(
  samples: readonly Sample[],
  getName: (sample: Sample) => string,
): ReadonlyMap<string, number> {
  const all = sum(samples)
  const shares = new Map<string, number>()
  for (const sample of samples) {
    const name = getName(sample)
    shares.set(name, (shares.get(name) ?? 0) + sample.us / all)
  }
  return shares
}

function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** A folder of the project, a package, a module of Node, or a function of V8 or Node without a file. */
function findPart({ url, name }: Sample): string {
  const own = /\/src\/((?:gateway\/)?[^/]+)\//.exec(url)?.[1]
  const packaged = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (packaged !== undefined) return packaged
  if (own !== undefined) return `src/${own}`
  if (url === '') return name
  return url.startsWith('node:') ? 'Node’s JavaScript' : url
}

function nameFunction({ url, name, line }: Sample): string {
  if (url === '') return name
  const path = url.replace(/^file:\/\/.*\/node_modules\//, '').replace(/^file:\/\/.*\/(?=src\/)/, '')
  return `${name} ${path}:${line}`
}
