import { EstimateRequest } from '../../../shared/pricing.ts'

export interface Workload {
  input: number
  output: number
  /** At most `MAX_MODELS`. */
  models: string[]
}

export const MAX_MODELS = 4
const EXAMPLE = { input: 10_000_000, output: 2_000_000 }

function readCount(text: string | null, fallback: number): number {
  const count = text === null ? null : EstimateRequest.shape.monthlyInputTokens.safeParse(Number(text))
  return count?.success ? count.data : fallback
}

/** Reads a workload from a query string. Missing parts come from an example. */
export function readWorkload(search: URLSearchParams): Workload {
  return {
    input: readCount(search.get('in'), EXAMPLE.input),
    output: readCount(search.get('out'), EXAMPLE.output),
    models: [...new Set(search.getAll('model'))].slice(0, MAX_MODELS),
  }
}

export function workloadToSearch({ input, output, models }: Workload): URLSearchParams {
  return new URLSearchParams([
    ['in', String(input)],
    ['out', String(output)],
    ...models.map((model) => ['model', model]),
  ])
}
