// Owns where a price came from, in words. Knows nothing of how it is found.
import type { PriceOrigin } from '../../../shared/models.ts'

const origins: Record<PriceOrigin['source'], string> = {
  database: 'price database',
  override: 'dated price of ours',
  user: 'your own price',
  builtin: 'built in',
  local: 'local model, free',
  provider: 'the provider’s own list',
}

export function originWords({ source, match, asOf }: PriceOrigin): string {
  const approximate = match === 'approximate' ? ', nearest model of that name' : ''
  return `${origins[source]}${approximate}${asOf ? `, as of ${asOf}` : ''}`
}
