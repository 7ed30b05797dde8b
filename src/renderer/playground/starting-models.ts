// Owns which models a new chat begins with.
import type { ModelRecord } from '../../shared/models.ts'

/**
 * Those of the chat before. The sandbox gives way to the usual model ('') once a provider has one: it was only there to
 * begin with.
 */
export function chooseStartingModels(
  before: readonly string[],
  served: readonly Pick<ModelRecord, 'id' | 'provider'>[],
): string[] {
  const isSandbox = (id: string) =>
    served.some(
      (model) => model.provider === 'sandbox' && (model.id === id || `${model.provider}/${model.id}` === id),
    )
  const hasOthers = served.some(({ provider }) => provider !== 'sandbox')
  return hasOthers && before.every(isSandbox) ? [''] : [...before]
}
