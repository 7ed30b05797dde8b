import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { queries } from '../../data/queries.ts'

/** The suggestions by model, for models that have no price. Read once there is such a model. */
export function usePriceSuggestions(): ReadonlyMap<string, PriceSuggestion> {
  const { data: models = [] } = useQuery(queries.models)
  const unpriced = models.filter(({ pricing }) => pricing === null)
  const { data: suggestions = [] } = useQuery({ ...queries.priceSuggestions, enabled: unpriced.length > 0 })
  return useMemo(
    () => new Map(suggestions.map((suggestion) => [suggestion.model, suggestion])),
    [suggestions],
  )
}
