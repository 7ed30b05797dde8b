import { useMutation } from '@tanstack/react-query'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { deleteOverride, putModel } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { setModelEnabled } from './model-override.ts'

interface ModelSwitch {
  /** As the user last set it, or, if that failed, the gateway's value. */
  enabled: boolean
  /** Why the last change failed, until the next one. */
  error: ApiError | null
  setEnabled(enabled: boolean): void
}

/** Shows a model as enabled or disabled immediately, before the gateway has responded. */
export function useModelSwitch(model: ModelRecord): ModelSwitch {
  const { isPending, variables, error, mutate } = useMutation({
    mutationFn: (enabled: boolean) =>
      saveWithUndo({
        message: `${model.id} ${enabled ? 'enabled' : 'disabled'}.`,
        save: () => changeEnabled(model.id, enabled),
        undo: () => changeEnabled(model.id, !enabled),
      }),
    // A model's changes run one at a time, in order.
    scope: { id: `enabled ${model.id}` },
  })
  return { enabled: isPending ? variables : model.enabled, error, setEnabled: mutate }
}

async function changeEnabled(id: string, enabled: boolean): Promise<void> {
  // The current one: an earlier change may have ended since the switch was rendered.
  const model = queryClient.getQueryData(queries.models.queryKey)?.find((one) => one.id === id)
  if (!model || model.enabled === enabled) return
  const override = setModelEnabled(model.override, enabled)
  if (override === null) await deleteOverride(id)
  else await putModel(id, override)
}
