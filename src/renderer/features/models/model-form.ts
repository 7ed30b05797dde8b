import { z } from 'zod'
import { Capability, type ModelOverride, type ModelRecord } from '../../../shared/api/models.ts'
import { CAPABILITIES } from '../../../shared/api/terms.ts'
import { countText, formatInput, usdText } from '../../kit/number-input.ts'

/** The prices that the form shows, with the names of the API. */
export const PRICES = [
  'inputPerMillion',
  'outputPerMillion',
  'cacheReadPerMillion',
  'cacheWritePerMillion',
] as const

const price = (label: string) => usdText.meta({ label, inputMode: 'decimal' })
const tokens = (label: string) => countText.meta({ label, inputMode: 'numeric' })

/**
 * The form of a model's override, or of a new alias if `model` is null. An empty field leaves the known value. `taken`: ids that
 * an alias cannot have.
 */
export function createModelForm(model: ModelRecord | null, taken: ReadonlySet<string>) {
  const isAlias = model === null
  const needsBoth = (name: 'inputPerMillion' | 'outputPerMillion') =>
    [
      (draft: { [price in (typeof PRICES)[number]]: number | null }) =>
        draft[name] !== null || PRICES.every((other) => draft[other] === null),
      { path: [name], error: 'Enter both prices.', when: () => true },
    ] satisfies [unknown, unknown]
  return z
    .object({
      /** The name that clients use. Only a new alias can choose it. */
      id: z
        .string()
        .trim()
        .regex(/^\S+$/, 'Enter a name without spaces.')
        .refine(
          (id) => !isAlias || !taken.has(id),
          'A model with this name already exists. Edit that one instead.',
        )
        .meta({ label: 'Alias', mono: true, placeholder: 'fast', hint: 'The name that your tools use.' }),
      /** Empty: every provider that offers the model. */
      provider: z.string().refine((id) => !isAlias || id !== '', 'Choose a provider.'),
      upstreamModel: z
        .string()
        .trim()
        .refine((id) => !isAlias || id !== '', 'Enter the provider’s model ID.'),
      inputPerMillion: price('Input'),
      outputPerMillion: price('Output'),
      cacheReadPerMillion: price('Cache read'),
      cacheWritePerMillion: price('Cache write'),
      contextWindow: tokens('Context'),
      maxOutputTokens: tokens('Output limit'),
      /** Null: the known ones. */
      capabilities: z.array(Capability).nullable(),
      fallbacks: z.array(z.string()),
    })
    .refine(...needsBoth('inputPerMillion'))
    .refine(...needsBoth('outputPerMillion'))
}
export type ModelForm = ReturnType<typeof createModelForm>

export function toModelDraft(model: ModelRecord | null): z.input<ModelForm> {
  const { provider, upstreamModel, pricing, capabilities, fallbacks, ...limits } = model?.override ?? {}
  return {
    id: model?.id ?? '',
    provider: provider ?? '',
    upstreamModel: upstreamModel ?? '',
    inputPerMillion: formatInput(pricing?.inputPerMillion),
    outputPerMillion: formatInput(pricing?.outputPerMillion),
    cacheReadPerMillion: formatInput(pricing?.cacheReadPerMillion),
    cacheWritePerMillion: formatInput(pricing?.cacheWritePerMillion),
    contextWindow: formatInput(limits.contextWindow),
    maxOutputTokens: formatInput(limits.maxOutputTokens),
    capabilities: capabilities ? [...capabilities] : null,
    fallbacks: [...(fallbacks ?? [])],
  }
}

/** The complete override, which a PUT replaces, with what the form does not show: other prices, and that it is disabled. */
export function toOverride(values: z.output<ModelForm>, model: ModelRecord | null): ModelOverride {
  const { provider, upstreamModel, contextWindow, maxOutputTokens, capabilities, fallbacks } = values
  const { inputPerMillion, outputPerMillion } = values
  const stored = model?.override
  const otherPrices = Object.entries(stored?.pricing ?? {}).filter(
    ([name]) => !PRICES.some((shown) => shown === name),
  )
  const prices = PRICES.filter((name) => values[name] !== null).map((name) => [name, values[name]])
  return {
    ...(provider === '' ? {} : { provider }),
    ...(upstreamModel === '' ? {} : { upstreamModel }),
    ...(inputPerMillion === null || outputPerMillion === null
      ? {}
      : {
          pricing: {
            ...Object.fromEntries([...otherPrices, ...prices]),
            inputPerMillion,
            outputPerMillion,
          },
        }),
    ...(contextWindow === null ? {} : { contextWindow }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(capabilities === null
      ? {}
      : { capabilities: CAPABILITIES.filter((name) => capabilities.includes(name)) }),
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
    ...(stored?.enabled === false ? { enabled: false } : {}),
  }
}

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
