import { t } from 'ttag'
import type { PriceOrigin, Pricing } from '../../../shared/api/models.ts'
import { formatDate, formatRate } from '../../kit/format.ts'

const origins: Record<PriceOrigin['source'], string> = {
  database: t`price database`,
  override: t`Tollgate price list`,
  user: t`custom price`,
  builtin: t`sample price`,
  local: t`local model, free`,
  provider: t`provider’s price list`,
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
    return price === undefined ? [] : [t`${formatRate(price)} per ${unit}`]
  })
}

const unitPrices: readonly [Exclude<keyof Pricing, 'tierFactors'>, string][] = [
  ['perAudioMinute', t`minute`],
  ['perMillionCharacters', t`million characters`],
  ['perImage', t`image`],
  ['perThousandSearches', t`thousand searches`],
]

export function formatPriceOrigin(origin: PriceOrigin): string {
  const approximate = origin.match === 'approximate' ? t`, closest model name` : ''
  return `${origins[origin.source]}${approximate}${formatPriceDate(origin)}`
}

function formatPriceDate({ asOf }: PriceOrigin): string {
  if (asOf === null || asOf === '') return ''
  return `, ${Number.isNaN(Date.parse(asOf)) ? asOf : formatDate(asOf, 'UTC')}`
}
