import type { PriceOrigin } from '../../../shared/models.ts'
import { formatDate } from '../../format.ts'

const origins: Record<PriceOrigin['source'], string> = {
  database: 'price database',
  override: 'built-in price list',
  user: 'your own price',
  builtin: 'built in',
  local: 'local model, free',
  provider: 'the provider’s own list',
}

export function formatPriceOrigin(origin: PriceOrigin): string {
  const approximate = origin.match === 'approximate' ? ', closest model name' : ''
  return `${origins[origin.source]}${approximate}${formatAsOf(origin)}`
}

/** Short, for a row. */
export function formatPriceOriginShort(origin: PriceOrigin): string {
  const approximate = origin.match === 'approximate' ? 'approximate: ' : ''
  return `${approximate}${origins[origin.source]}${formatAsOf(origin)}`
}

function formatAsOf({ asOf }: PriceOrigin): string {
  if (asOf === null || asOf === '') return ''
  return `, ${Number.isNaN(Date.parse(asOf)) ? asOf : formatDate(asOf, 'UTC')}`
}
