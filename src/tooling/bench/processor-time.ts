// The processor time of another process, by thread where the system shows it (Linux).
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The groups of threads, in the order of the tables. */
export const THREADS = ['main', 'gateway', 'V8', 'writer', 'reader', 'tokenizer', 'other'] as const
export type Thread = (typeof THREADS)[number]

/** Microseconds by group of threads. On other systems than Linux everything is counted as `main`. */
export type ProcessorTime = Readonly<Record<Thread, number>>

/** Threads by the names that Node, Chromium and the gateway give them. */
const NAMES: readonly [RegExp, Thread][] = [
  [/^(V8Worker|DelayedTaskSche|ThreadPool)/, 'V8'],
  [/^gateway/, 'gateway'],
  [/^store writer/, 'writer'],
  [/^store reader/, 'reader'],
  [/^(tokenizer|\[worker)/, 'tokenizer'],
]

/** Begins to measure. The function returns what the process has spent since then for each of `parts`. */
export function startProcessorTime(pid: number): (parts: number) => ProcessorTime {
  const before = readProcessorTime(pid)
  return (parts) => {
    const after = readProcessorTime(pid)
    const spent = (thread: Thread) => (after[thread] - before[thread]) / parts
    return {
      main: spent('main'),
      gateway: spent('gateway'),
      V8: spent('V8'),
      writer: spent('writer'),
      reader: spent('reader'),
      tokenizer: spent('tokenizer'),
      other: spent('other'),
    }
  }
}

export function sumTime(time: ProcessorTime, threads: readonly Thread[] = THREADS): number {
  return threads.reduce((sum, thread) => sum + time[thread], 0)
}

function readProcessorTime(pid: number): ProcessorTime {
  const time = { main: 0, gateway: 0, V8: 0, writer: 0, reader: 0, tokenizer: 0, other: 0 }
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return { ...time, main: readTotal(pid) }
  for (const id of readdirSync(tasks)) {
    const [name, us] = readThread(`${tasks}/${id}`)
    time[id === String(pid) ? 'main' : nameThread(name)] += us
  }
  return time
}

function nameThread(name: string): Thread {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
}

/** Zero for a thread that has just ended. */
function readThread(dir: string): [name: string, us: number] {
  try {
    // The first number is the time on a processor in nanoseconds; `stat` has it in steps of 10 ms only.
    const [ns] = readFileSync(`${dir}/schedstat`, 'utf8').split(' ')
    return [readFileSync(`${dir}/comm`, 'utf8'), Number(ns) / 1_000]
  } catch {
    return ['', 0]
  }
}

/** Reads the total from `ps`, as [days-]hours:minutes:seconds; zero where there is none. */
function readTotal(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' })
  const parts = (stdout ?? '').trim().split(/[:-]/).map(Number)
  return parts.reduce((seconds, part) => seconds * 60 + part, 0) * 1e6
}
