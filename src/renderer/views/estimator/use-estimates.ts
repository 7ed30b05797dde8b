// Owns asking the gateway what a workload costs, one question per model. Knows nothing of how it is computed or shown.
import { useEffect, useState } from 'react'
import type { Estimate } from '../../../shared/pricing.ts'
import { api } from '../../api.ts'
import { toApiError } from '../../api-error.ts'

export type EstimateOutcome = { ok: true; estimate: Estimate } | { ok: false; message: string }

const PAUSE_MS = 120

/** By model id. While a slider moves, the last answers stand. */
export function useEstimates(
  models: readonly string[],
  input: number,
  output: number,
): Readonly<Record<string, EstimateOutcome>> {
  const [outcomes, setOutcomes] = useState<Record<string, EstimateOutcome>>({})
  const names = models.join('\n')
  useEffect(() => {
    const control = new AbortController()
    const ask = async (model: string): Promise<[string, EstimateOutcome]> => {
      try {
        const body = { model, monthlyInputTokens: input, monthlyOutputTokens: output }
        return [model, { ok: true, estimate: await api('estimateCost', { body, signal: control.signal }) }]
      } catch (thrown) {
        return [model, { ok: false, message: toApiError(thrown).message }]
      }
    }
    const timer = setTimeout(async () => {
      const answers = await Promise.all(names.split('\n').filter(Boolean).map(ask))
      if (!control.signal.aborted) setOutcomes(Object.fromEntries(answers))
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }, [names, input, output])
  return outcomes
}
