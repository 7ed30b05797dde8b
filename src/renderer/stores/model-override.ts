// Owns what becomes of a model's override when the model is turned on or off. Pure: an override is replaced as a whole.
import type { ModelOverride } from '../../shared/models.ts'

/** The override that turns a model on or off and keeps all else that was said of it; null when nothing is left to say. */
export function turned(override: ModelOverride | null, on: boolean): ModelOverride | null {
  const { enabled: _, ...rest } = override ?? {}
  if (!on) return { ...rest, enabled: false }
  return Object.keys(rest).length > 0 ? rest : null
}

/** Whether anything but on or off was said of the model. */
export function saysMore(override: ModelOverride | null): boolean {
  return turned(override, true) !== null
}

/** Whether the model is a name that the user gave to another one; it is gone with its override. */
export function isAlias(override: ModelOverride | null): boolean {
  return override?.upstreamModel !== undefined
}
