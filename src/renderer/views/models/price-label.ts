// Owns where a price came from, in words. Knows nothing of how it is found.
import type { PriceOrigin } from '../../../shared/models.ts'
import { formatDate } from '../../format.ts'

const origins: Record<PriceOrigin['source'], string> = {
  database: 'price database',
  override: 'our own price list',
  user: 'your own price',
  builtin: 'built in',
  local: 'local model, free',
  provider: 'the provider’s own list',
}

export function originWords(origin: PriceOrigin): string {
  const approximate = origin.match === 'approximate' ? ', nearest model of that name' : ''
  return `${origins[origin.source]}${approximate}${dated(origin)}`
}

/** In a row, where there is room for one reason. */
export function shortOriginWords(origin: PriceOrigin): string {
  const approximate = origin.match === 'approximate' ? 'approximate: ' : ''
  return `${approximate}${origins[origin.source]}${dated(origin)}`
}

function dated({ asOf }: PriceOrigin): string {
  if (asOf === null || asOf === '') return ''
  return `, ${Number.isNaN(Date.parse(asOf)) ? asOf : formatDate(asOf, 'UTC')}`
}
