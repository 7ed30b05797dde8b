// The measurements of the throughput case.
import type { RequestsMeasurement, Target } from '../jobs.ts'
import type { ProcessorTime } from '../processor-time.ts'

export interface Workload {
  name: string
  stream: boolean
  clients: number
  requests: number
}

/** One round of one target. */
export interface Round extends RequestsMeasurement {
  /** Microseconds of processor time per request. */
  time: ProcessorTime
}

export interface RoundsMeasurement {
  target: Target
  rounds: Round[]
  /** Why it could not be measured. */
  failure: string | null
}

export interface WorkloadMeasurement {
  workload: Workload
  targets: RoundsMeasurement[]
}
