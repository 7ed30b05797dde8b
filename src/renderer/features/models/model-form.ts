import type { Capability, ModelOverride, ModelRecord, Pricing } from '../../../shared/api/models.ts'
import { CAPABILITIES } from '../../../shared/api/terms.ts'
import { parseCount, parseUsd } from '../../kit/number-input.ts'

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
export type ModelFormOutcome =
  | { ok: true; id: string; override: ModelOverride }
  | { ok: false; errors: ModelFormErrors }

export const toText = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : String(value)

/** The form for a model's override, or for a new alias when `model` is null. An empty field leaves the known value. */
export function modelForm(model: ModelRecord | null): ModelForm {
  const override = model?.override ?? null
  return {
    id: model?.id ?? '',
    provider: override?.provider ?? '',
    upstreamModel: override?.upstreamModel ?? '',
    inputPrice: toText(override?.pricing?.inputPerMillion),
    outputPrice: toText(override?.pricing?.outputPerMillion),
    cacheReadPrice: toText(override?.pricing?.cacheReadPerMillion),
    cacheWritePrice: toText(override?.pricing?.cacheWritePerMillion),
    contextWindow: toText(override?.contextWindow),
    maxOutputTokens: toText(override?.maxOutputTokens),
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
