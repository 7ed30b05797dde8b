// What the throughput case measures.
import type { RequestsMeasured, Target } from '../jobs.ts'
import type { ProcessorTime } from '../processor-time.ts'

export interface Workload {
  name: string
  stream: boolean
  clients: number
  requests: number
}

/** One round of one target. */
export interface Round extends RequestsMeasured {
  /** Microseconds of processor time per request. */
  time: ProcessorTime
}

export interface Measured {
  target: Target
  rounds: Round[]
  /** Why it could not be measured. */
  failure: string | null
}

export interface WorkloadMeasured {
  workload: Workload
  targets: Measured[]
}
