import type { ModelOverride } from '../../../shared/models.ts'

/** The override with which a model is enabled or not, its other fields unchanged; null when there are none. */
export function setModelEnabled(override: ModelOverride | null, enabled: boolean): ModelOverride | null {
  const { enabled: _, ...rest } = override ?? {}
  if (!enabled) return { ...rest, enabled: false }
  return Object.keys(rest).length > 0 ? rest : null
}

/** Whether the override sets anything besides whether the model is enabled. */
export function isCustomized(override: ModelOverride | null): boolean {
  return setModelEnabled(override, true) !== null
}

/** Whether the model is the user's name for another one. Without its override it does not exist. */
export function isAlias(override: ModelOverride | null): boolean {
  return override?.upstreamModel !== undefined
}
