import { CAPABILITIES, type Capability, type ModelRecord } from '../../../shared/models.ts'

const STATES = ['all', 'on', 'off'] as const

export interface ModelFilter {
  text: string
  provider: string | null
  capability: Capability | null
  state: (typeof STATES)[number]
}

export function readModelFilter(search: URLSearchParams): ModelFilter {
  return {
    text: search.get('q') ?? '',
    provider: search.get('provider'),
    capability: CAPABILITIES.find((one) => one === search.get('can')) ?? null,
    state: STATES.find((one) => one === search.get('state')) ?? 'all',
  }
}

/** Every word of the filter's text must be in the id, name or providers. */
export function matchesModelFilter(
  { text, provider, capability, state }: ModelFilter,
  model: Pick<ModelRecord, 'id' | 'name' | 'providers' | 'capabilities' | 'enabled'>,
): boolean {
  if (state !== 'all' && model.enabled !== (state === 'on')) return false
  if (provider !== null && !model.providers.includes(provider)) return false
  if (capability !== null && !model.capabilities.includes(capability)) return false
  const words = text.toLowerCase().split(/\s+/)
  const where = `${model.id} ${model.name} ${model.providers.join(' ')}`.toLowerCase()
  return words.every((word) => where.includes(word))
}
