// Where the gateway spends its processor time: self time of V8's sampling profiler, in each thread that is busy. Chromium's
// developer tools open the profiles, and show the functions: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { cacheDir } from '../../commands.ts'
import type { Target } from '../chat-request.ts'
import { sharedNow } from '../clock.ts'
import { SOURCES } from '../gateway.ts'
import type { CaseReport } from '../report.ts'
import { CLIENTS, sendRequests } from '../requests.ts'
import type { Session } from '../session.ts'
import { receiveStreams } from '../streams.ts'

const SAMPLE_US = 200
const ROWS = 8
/** Threads that were busy for less than this share of the busiest are left out. */
const MIN_BUSY_SHARE = 0.05

const CallFrame = z.object({ functionName: z.string(), url: z.string() })
const Profile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: CallFrame })),
  /** Microseconds of the clock that `sharedNow` reads. */
  startTime: z.number(),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
})

/** The microseconds of each part of a thread. */
interface ThreadProfile {
  name: string
  parts: ReadonlyMap<string, number>
  us: number
}

export async function measureProfile(session: Session): Promise<CaseReport> {
  const { plain, streams, paced, rounds } = session.sizes
  const load = { clients: CLIENTS, stream: false, requests: plain.together * rounds }
  const streamed = { ...load, stream: true, requests: streams.together * rounds }
  const loads: Readonly<Record<string, (target: Target) => Promise<unknown>>> = {
    'plain requests, 32 clients': (target) => sendRequests(target, load),
    'streams of 50 chunks, 32 clients': (target) => sendRequests(target, streamed),
    'many streams, chunk by chunk': (target) => receiveStreams(target, paced),
  }
  const profiles: ThreadProfile[] = []
  for (const [title, run] of Object.entries(loads))
    for (const { name, ...profile } of await profileLoad(session, title, run))
      profiles.push({ name: `${title}: ${name}`, ...profile })
  const shares = new Map<string, number[]>()
  for (const [index, { parts, us }] of profiles.entries())
    for (const [part, partUs] of parts) {
      const row = shares.get(part) ?? profiles.map(() => 0)
      shares.set(part, row.with(index, partUs / us))
    }
  const sum = (row: readonly number[]) => row.reduce((total, share) => total + share, 0)
  const rows = [...shares].toSorted(([, a], [, b]) => sum(b) - sum(a)).slice(0, ROWS)
  return {
    goals: [],
    tables: [
      {
        title: 'Self time, by part',
        columns: ['part', ...profiles.map(({ name }) => name)],
        rows: rows.map(([part, row]) => [part, ...row.map((share) => `${(share * 100).toFixed(1)} %`)]),
      },
    ],
  }
}

/** Leaves V8's profiles of the load in the cache folder. */
async function profileLoad(
  session: Session,
  title: string,
  run: (target: Target) => Promise<unknown>,
): Promise<ThreadProfile[]> {
  const dir = join(cacheDir, 'profiles', title.replaceAll(/\W+/g, '-'))
  rmSync(dir, { recursive: true, force: true })
  const flags = ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-interval=${SAMPLE_US}`]
  // The built files are bundles, in which packages and folders cannot be told apart.
  const { target } = await session.startHeadless({ program: [...flags, ...SOURCES] })
  const warmUp = { clients: CLIENTS, stream: false, requests: session.sizes.warmUp }
  await sendRequests(target, warmUp)
  const from = sharedNow()
  await run(target)
  const until = sharedNow()
  await session.processes.stop(target.pid)
  const threads = readdirSync(dir).map((name) => readProfile(join(dir, name), from * 1_000, until * 1_000))
  const busiest = Math.max(...threads.map(({ us }) => us))
  return threads.filter(({ us }) => us > busiest * MIN_BUSY_SHARE).toSorted((a, b) => b.us - a.us)
}

/** The time between two moments, without idle time. */
function readProfile(path: string, from: number, until: number): ThreadProfile {
  const { nodes, startTime, samples, timeDeltas } = Profile.parse(JSON.parse(readFileSync(path, 'utf8')))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parts = new Map<string, number>()
  let at = startTime
  let sum = 0
  for (const [index, id] of samples.entries()) {
    const us = timeDeltas[index] ?? 0
    at += us
    const frame = frames.get(id)
    if (at < from || at > until || !frame || frame.functionName === '(idle)') continue
    const part = findPart(frame)
    parts.set(part, (parts.get(part) ?? 0) + us)
    sum += us
  }
  return {
    name: nameThread(
      path,
      nodes.map(({ callFrame }) => callFrame.url),
    ),
    parts,
    us: sum,
  }
}

/** Node ends the name of a profile with the thread's id, which is 0 for the main one, and a number. */
function nameThread(path: string, urls: readonly string[]): string {
  if (/\.0\.\d+\.cpuprofile$/.test(path)) return 'main thread'
  return urls.some((url) => url.includes('/gateway/store/')) ? 'store’s thread' : 'other thread'
}

/** A folder of the project, a package, a module of Node, or a function of V8 or Node without a file. */
function findPart({ url, functionName }: z.infer<typeof CallFrame>): string {
  const folder = /\/src\/((?:gateway\/)?[^/]+)\//.exec(url)?.[1]
  const packaged = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
  if (packaged !== undefined) return packaged
  if (folder !== undefined) return `src/${folder}`
  if (url === '') return functionName
  return url.startsWith('node:') ? 'Node’s JavaScript' : url
}
