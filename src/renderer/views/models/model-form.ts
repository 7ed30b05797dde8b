// Owns what the form of a model holds, and the override that is made of it. Pure. Blank means: as it is known.
import {
  CAPABILITIES,
  type Capability,
  type ModelOverride,
  type ModelRecord,
} from '../../../shared/models.ts'
import { parseCount, parseUsd } from '../../number-input.ts'

export interface ModelForm {
  /** The name clients use; fixed for a model that exists. */
  id: string
  /** Blank: every provider that offers it. */
  provider: string
  upstreamModel: string
  inputPrice: string
  outputPrice: string
  cacheReadPrice: string
  cacheWritePrice: string
  contextWindow: string
  maxOutputTokens: string
  /** Null: as they are known. */
  capabilities: Capability[] | null
  fallbacks: string[]
}

export type ModelFormErrors = Partial<Record<keyof ModelForm, string>>
export type ModelFormOutcome =
  | { ok: true; id: string; override: ModelOverride }
  | { ok: false; errors: ModelFormErrors }

const typed = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : String(value)

/** The form of a model's override; of a new alias when `model` is null. */
export function modelForm(model: ModelRecord | null): ModelForm {
  const override = model?.override ?? null
  return {
    id: model?.id ?? '',
    provider: override?.provider ?? '',
    upstreamModel: override?.upstreamModel ?? '',
    inputPrice: typed(override?.pricing?.inputPerMillion),
    outputPrice: typed(override?.pricing?.outputPerMillion),
    cacheReadPrice: typed(override?.pricing?.cacheReadPerMillion),
    cacheWritePrice: typed(override?.pricing?.cacheWritePerMillion),
    contextWindow: typed(override?.contextWindow),
    maxOutputTokens: typed(override?.maxOutputTokens),
    capabilities: override?.capabilities ? [...override.capabilities] : null,
    fallbacks: override?.fallbacks ? [...override.fallbacks] : [],
  }
}

/** The override as a whole: what a PUT replaces the earlier one with. `taken`: ids that an alias cannot have. */
export function readModelForm(
  form: ModelForm,
  model: ModelRecord | null,
  taken: ReadonlySet<string>,
): ModelFormOutcome {
  const errors: ModelFormErrors = {}
  const id = form.id.trim()
  if (model === null) {
    if (id === '' || /\s/.test(id)) errors.id = 'Give it a name without spaces.'
    else if (taken.has(id)) errors.id = 'There is a model of that name already. Edit that one instead.'
    if (form.provider === '') errors.provider = 'Choose who serves it.'
    if (form.upstreamModel.trim() === '') errors.upstreamModel = 'Name the model at the provider.'
  }
  const pricing = readPricing(form, errors)
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
    // A model that is off stays off, whatever else is said of it.
    ...(model?.override?.enabled === false ? { enabled: false } : {}),
  }
  return { ok: true, id, override }
}

type PriceField = 'inputPrice' | 'outputPrice' | 'cacheReadPrice' | 'cacheWritePrice'

function readPricing(form: ModelForm, errors: ModelFormErrors): ModelOverride['pricing'] {
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
  if (input === null) errors.inputPrice ??= 'A price of your own needs both.'
  if (output === null) errors.outputPrice ??= 'A price of your own needs both.'
  return {
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
