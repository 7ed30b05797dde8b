import type { PriceOrigin, Pricing } from '../../../shared/api/models.ts'
import { formatDate, formatRate } from '../../kit/format.ts'

const origins: Record<PriceOrigin['source'], string> = {
  database: 'price database',
  override: 'Tollgate price list',
  user: 'custom price',
  builtin: 'sample price',
  local: 'local model, free',
  provider: 'provider’s price list',
}

/** The prices of a model in one line, of input and output, or of what else it is billed by. */
export function formatPricing(pricing: Pricing): string {
  const { inputPerMillion: input, outputPerMillion: output } = pricing
  const [unitPrice] = input === 0 && output === 0 ? formatUnitPrices(pricing) : []
  return unitPrice ?? `${formatRate(input)} / ${formatRate(output)}`
}

/** The prices of what else than tokens a model is billed by. */
export function formatUnitPrices(pricing: Pricing): string[] {
  return unitPrices.flatMap(([field, unit]) => {
    const price = pricing[field]
    return price === undefined ? [] : [`${formatRate(price)} per ${unit}`]
  })
}

const unitPrices: readonly [Exclude<keyof Pricing, 'tierFactors'>, string][] = [
  ['perAudioMinute', 'minute'],
  ['perMillionCharacters', 'million characters'],
  ['perImage', 'image'],
  ['perThousandSearches', 'thousand searches'],
]

export function formatPriceOrigin(origin: PriceOrigin): string {
  const approximate = origin.match === 'approximate' ? ', closest model name' : ''
  return `${origins[origin.source]}${approximate}${formatPriceDate(origin)}`
}

function formatPriceDate({ asOf }: PriceOrigin): string {
  if (asOf === null || asOf === '') return ''
  return `, ${Number.isNaN(Date.parse(asOf)) ? asOf : formatDate(asOf, 'UTC')}`
}
