import type { ModelOverride } from '../../../shared/api/models.ts'

/** The override with which a model is enabled or not, its other fields unchanged; null when there are none. */
export function setModelEnabled(override: ModelOverride | null, enabled: boolean): ModelOverride | null {
  const { enabled: _, ...rest } = override ?? {}
  if (!enabled) return { ...rest, enabled: false }
  return Object.keys(rest).length > 0 ? rest : null
}

/** The override with this price, its other fields unchanged; undefined for the known price. Null when there are no fields. */
export function setModelPricing(
  override: ModelOverride | null,
  pricing: ModelOverride['pricing'],
): ModelOverride | null {
  const { pricing: _, ...rest } = override ?? {}
  if (pricing !== undefined) return { ...rest, pricing }
  return Object.keys(rest).length > 0 ? rest : null
}

/** Whether the override sets anything besides whether the model is enabled. */
export function isCustomized(override: ModelOverride | null): boolean {
  return setModelEnabled(override, true) !== null
}

/** Whether the override sets what neither the price nor the remark of a row shows. */
export function isEdited(override: ModelOverride | null): boolean {
  const { enabled: _, pricing: __, fallbacks: ___, upstreamModel: ____, provider, ...rest } = override ?? {}
  return Object.keys(rest).length > 0 || (provider !== undefined && !isAlias(override))
}

/** Whether the model is the user's name for another one. Without its override it does not exist. */
export function isAlias(override: ModelOverride | null): boolean {
  return override?.upstreamModel !== undefined
}
