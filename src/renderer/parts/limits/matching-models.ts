import type { ModelRecord } from '../../../shared/api/models.ts'
import { createMatcher } from '../../../shared/values/model-pattern.ts'

/** The ids of the models that ids or patterns name, as one of their providers serves them. */
export function matchingModels(models: readonly ModelRecord[], patterns: readonly string[]): string[] {
  const matches = createMatcher(patterns)
  return models.filter(({ id, providers }) => providers.some((one) => matches(id, one))).map(({ id }) => id)
}

const NAMED = 3

/** "4 models: a, b, c and 1 more"; "no model that you have now". */
export function describeModels(ids: readonly string[]): string {
  if (ids.length === 0) return 'no model that you have now'
  const rest = ids.length - NAMED
  const names = `${ids.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return `${ids.length === 1 ? '1 model' : `${ids.length} models`}: ${names}`
}
