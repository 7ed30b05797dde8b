import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Estimate } from '../../../shared/pricing.ts'
import { api } from '../../api.ts'
import { toApiError } from '../../api-error.ts'

export type EstimateOutcome = { ok: true; estimate: Estimate } | { ok: false; message: string }
type EstimateOutcomes = Readonly<Record<string, EstimateOutcome>>

const PAUSE_MS = 120
const none: EstimateOutcomes = {}

/**
 * What a month of so many tokens costs, by model id: one request per model. While a slider moves, the last estimates stay
 * on the screen.
 */
export function useEstimates(models: readonly string[], input: number, output: number): EstimateOutcomes {
  const names = models.join('\n')
  const [workload, setWorkload] = useState({ names, input, output })
  useEffect(() => {
    const timer = setTimeout(() => setWorkload({ names, input, output }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [names, input, output])
  const { data = none } = useQuery({
    queryKey: ['estimates', workload],
    queryFn: async ({ signal }): Promise<EstimateOutcomes> => {
      const ids = workload.names.split('\n').filter(Boolean)
      const outcomes = ids.map((model) => estimate(model, workload.input, workload.output, signal))
      return Object.fromEntries(await Promise.all(outcomes))
    },
    placeholderData: keepPreviousData,
    // Prices change, so the next visit requests them again.
    staleTime: 0,
    gcTime: 0,
  })
  return data
}

async function estimate(
  model: string,
  input: number,
  output: number,
  signal: AbortSignal,
): Promise<[string, EstimateOutcome]> {
  try {
    const body = { model, monthlyInputTokens: input, monthlyOutputTokens: output }
    return [model, { ok: true, estimate: await api('estimateCost', { body, signal }) }]
  } catch (thrown) {
    return [model, { ok: false, message: toApiError(thrown).message }]
  }
}
