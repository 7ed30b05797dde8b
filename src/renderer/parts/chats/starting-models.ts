import type { ModelRecord } from '../../../shared/api/models.ts'

/**
 * The models of a new chat: those of the previous one. If that used only the sandbox and a provider now serves a model,
 * it is the default model ('') instead.
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
