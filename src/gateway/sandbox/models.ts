import type { Capability, Pricing } from '../../shared/api/models.ts'
import type { ProviderFormat } from '../../shared/api/providers.ts'

interface SandboxModel {
  id: string
  name: string
  contextWindow: number
  maxOutputTokens: number
  capabilities: readonly Capability[]
  pricing: Pricing
}

/** Whether providers of the format have the models below, instead of a list that is read from the provider. */
export function hasBuiltInModels(format: ProviderFormat): boolean {
  return format === 'sandbox'
}

/** Priced like a small and a large commercial model, so that caps are reached as with a real one. */
export const sandboxModels: readonly SandboxModel[] = [
  {
    id: 'sandbox-small',
    name: 'Sandbox Small',
    contextWindow: 128_000,
    maxOutputTokens: 4_096,
    capabilities: ['tools', 'json', 'streaming'],
    pricing: { inputPerMillion: 0.5, outputPerMillion: 1.5 },
  },
  {
    id: 'sandbox-large',
    name: 'Sandbox Large',
    contextWindow: 200_000,
    maxOutputTokens: 8_192,
    capabilities: ['vision', 'tools', 'json', 'streaming'],
    pricing: { inputPerMillion: 3, outputPerMillion: 15 },
  },
]
