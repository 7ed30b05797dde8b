import type { Capability, ModelOverride, ModelRecord, Pricing } from '../../../shared/api/models.ts'
import { CAPABILITIES } from '../../../shared/api/terms.ts'
import { formatInput, parseCount, parseUsd } from '../../kit/number-input.ts'

export interface ModelForm {
  /** The name that clients use. Only a new alias can choose it. */
  id: string
  /** Empty: every provider that offers the model. */
  provider: string
  upstreamModel: string
  inputPrice: string
  outputPrice: string
  cacheReadPrice: string
  cacheWritePrice: string
  contextWindow: string
  maxOutputTokens: string
  /** Null: the known ones. */
  capabilities: Capability[] | null
  fallbacks: string[]
}

export type ModelFormErrors = Partial<Record<keyof ModelForm, string>>
type ModelFormOutcome =
  | { ok: true; id: string; override: ModelOverride }
  | { ok: false; errors: ModelFormErrors }

/** The form for a model's override, or for a new alias when `model` is null. An empty field leaves the known value. */
export function modelForm(model: ModelRecord | null): ModelForm {
  const override = model?.override ?? null
  return {
    id: model?.id ?? '',
    provider: override?.provider ?? '',
    upstreamModel: override?.upstreamModel ?? '',
    inputPrice: formatInput(override?.pricing?.inputPerMillion),
    outputPrice: formatInput(override?.pricing?.outputPerMillion),
    cacheReadPrice: formatInput(override?.pricing?.cacheReadPerMillion),
    cacheWritePrice: formatInput(override?.pricing?.cacheWritePerMillion),
    contextWindow: formatInput(override?.contextWindow),
    maxOutputTokens: formatInput(override?.maxOutputTokens),
    capabilities: override?.capabilities ? [...override.capabilities] : null,
    fallbacks: override?.fallbacks ? [...override.fallbacks] : [],
  }
}

/** The complete override, which a PUT replaces. `taken`: ids that an alias cannot have. */
export function readModelForm(
  form: ModelForm,
  model: ModelRecord | null,
  taken: ReadonlySet<string>,
): ModelFormOutcome {
  const errors: ModelFormErrors = {}
  const id = form.id.trim()
  if (model === null) {
    if (id === '' || /\s/.test(id)) errors.id = 'Enter a name without spaces.'
    else if (taken.has(id)) errors.id = 'A model with this name already exists. Edit that one instead.'
    if (form.provider === '') errors.provider = 'Choose a provider.'
    if (form.upstreamModel.trim() === '') errors.upstreamModel = 'Enter the provider’s model ID.'
  }
  const pricing = readPricing(form, model?.override?.pricing ?? null, errors)
  const contextWindow = readCount(form, 'contextWindow', errors)
  const maxOutputTokens = readCount(form, 'maxOutputTokens', errors)
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const override: ModelOverride = {
    ...(form.provider === '' ? {} : { provider: form.provider }),
    ...(form.upstreamModel.trim() === '' ? {} : { upstreamModel: form.upstreamModel.trim() }),
    ...(pricing === undefined ? {} : { pricing }),
    ...(contextWindow === null ? {} : { contextWindow }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(form.capabilities === null
      ? {}
      : { capabilities: CAPABILITIES.filter((one) => form.capabilities?.includes(one)) }),
    ...(form.fallbacks.length === 0 ? {} : { fallbacks: form.fallbacks }),
    // A disabled model stays disabled.
    ...(model?.override?.enabled === false ? { enabled: false } : {}),
  }
  return { ok: true, id, override }
}

type PriceField = 'inputPrice' | 'outputPrice' | 'cacheReadPrice' | 'cacheWritePrice'

/** Reads the prices, with those of `before` that the form does not show. */
function readPricing(
  form: ModelForm,
  before: Pricing | null,
  errors: ModelFormErrors,
): ModelOverride['pricing'] {
  const read = (field: PriceField): number | null => {
    const amount = parseUsd(form[field])
    if (amount.ok) return amount.usd
    errors[field] = amount.message
    return null
  }
  const input = read('inputPrice')
  const output = read('outputPrice')
  const cacheRead = read('cacheReadPrice')
  const cacheWrite = read('cacheWritePrice')
  if (input === null && output === null && cacheRead === null && cacheWrite === null) return undefined
  if (input === null) errors.inputPrice ??= 'Enter both prices.'
  if (output === null) errors.outputPrice ??= 'Enter both prices.'
  const { cacheReadPerMillion: _read, cacheWritePerMillion: _write, ...others } = before ?? {}
  return {
    ...others,
    inputPerMillion: input ?? 0,
    outputPerMillion: output ?? 0,
    ...(cacheRead === null ? {} : { cacheReadPerMillion: cacheRead }),
    ...(cacheWrite === null ? {} : { cacheWritePerMillion: cacheWrite }),
  }
}

function readCount(
  form: ModelForm,
  field: 'contextWindow' | 'maxOutputTokens',
  errors: ModelFormErrors,
): number | null {
  const count = parseCount(form[field])
  if (count.ok) return count.count
  errors[field] = count.message
  return null
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
