// Owns the workload that is estimated: how it stands in the page's address. Pure.
import { EstimateRequest } from '../../../shared/pricing.ts'

export interface Workload {
  input: number
  output: number
  /** At most four, compared side by side. */
  models: string[]
}

export const MOST_MODELS = 4
const EXAMPLE = { input: 10_000_000, output: 2_000_000 }

function readCount(text: string | null, otherwise: number): number {
  const count = text === null ? null : EstimateRequest.shape.monthlyInputTokens.safeParse(Number(text))
  return count?.success ? count.data : otherwise
}

/** Reads a workload from a query; what is missing is an example. */
export function readWorkload(search: URLSearchParams): Workload {
  return {
    input: readCount(search.get('in'), EXAMPLE.input),
    output: readCount(search.get('out'), EXAMPLE.output),
    models: [...new Set(search.getAll('model'))].slice(0, MOST_MODELS),
  }
}

export function workloadToSearch({ input, output, models }: Workload): URLSearchParams {
  return new URLSearchParams([
    ['in', String(input)],
    ['out', String(output)],
    ...models.map((model) => ['model', model]),
  ])
}
