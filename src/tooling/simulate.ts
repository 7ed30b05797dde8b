// `npm run simulate`: simulated worlds, each of which follows from its seed. Exits with 1 when an invariant is broken.
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Invariant } from '../gateway/testing/simulation/broken.ts'
import { createPlan } from '../gateway/testing/simulation/plan.ts'
import { formatPlan, shrink } from '../gateway/testing/simulation/shrink.ts'
import { simulate } from '../gateway/testing/simulation/simulate.ts'
import { applySourceFlags } from '../gateway/testing/source-flags.ts'

interface Work {
  from: number
  step: number
  end: number
  requests: number
}

interface Done {
  seed: number
  requests: number
  /** The broken invariant and what breaks it; null if all hold. */
  broken: string | null
  invariant: Invariant | null
}

const THREADS = 2

if (isMainThread) await main()
else await work(workerData)

async function work({ from, step, end, requests }: Work): Promise<void> {
  for (let seed = from; seed < end; seed += step) {
    const result = await simulate(createPlan(seed, requests))
    const done: Done = {
      seed,
      requests: result.requests,
      invariant: result.broken?.invariant ?? null,
      broken: result.broken && `${result.broken.invariant}: ${result.broken.message}`,
    }
    parentPort?.postMessage(done)
  }
}

async function main(): Promise<void> {
  applySourceFlags()
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string' },
      requests: { type: 'string', default: '100' },
      all: { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
    },
  })
  const from = Number(values.seed ?? 1)
  const seeds = Number(values.seeds ?? (values.seed === undefined ? 1000 : 1))
  const requests = Number(values.requests)
  const startedAt = performance.now()
  const failures: Done[] = []
  let simulated = 0
  let worlds = 0
  let reportedAt = startedAt
  const threads = Math.min(THREADS, seeds)
  const report = (): string => {
    const minutes = (performance.now() - startedAt) / 60_000
    return `${worlds} seeds, ${simulated} requests, ${Math.round(simulated / minutes)} a minute`
  }
  const workers: Worker[] = []
  await Promise.all(
    Array.from({ length: threads }, (_, thread) => {
      const data: Work = {
        from: from + thread,
        step: threads,
        end: from + seeds,
        requests,
      }
      const worker = new Worker(new URL(import.meta.url), { workerData: data })
      workers.push(worker)
      worker.on('message', (done: Done) => {
        worlds += 1
        simulated += done.requests
        if (done.broken !== null) {
          failures.push(done)
          if (!values.all) for (const each of workers) void each.terminate()
        }
        if (performance.now() - reportedAt < 10_000) return
        reportedAt = performance.now()
        console.error(report())
      })
      return new Promise<void>((resolve, reject) => {
        worker.once('error', reject)
        worker.once('exit', () => resolve())
      })
    }),
  )
  console.log(report())
  failures.sort((a, b) => a.seed - b.seed)
  for (const { seed, broken } of failures.slice(values.all ? 1 : 0)) console.log(`seed ${seed}: ${broken}`)
  const [first] = failures
  if (!first) return
  const whole = createPlan(first.seed, requests)
  const { invariant } = first
  const plan = invariant ? await shrink(whole, invariant) : whole
  const { broken } = await simulate(plan, values.trace ? { log: (event) => console.log(event) } : {})
  console.log(`seed ${first.seed} breaks an invariant: ${broken?.message}\n${formatPlan(plan)}`)
  process.exitCode = 1
}
