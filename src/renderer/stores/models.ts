// Owns the window's view of the models, those turned off included, and what the user says of them.
import { create } from 'zustand'
import type { ModelOverride, ModelRecord } from '../../shared/models.ts'
import { api } from '../api.ts'
import { toApiError } from '../api-error.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'
import { turned } from './model-override.ts'

interface ModelsStore extends Loaded {
  /** Those that can be served now: what can be picked. */
  models: ModelRecord[]
  /** All of them, those turned off included: what can be looked after. */
  all: ModelRecord[]
  /** Models that are being turned on or off now, and which; as good as done until the gateway says otherwise. */
  turning: Readonly<Record<string, boolean>>
  /** Why a model could not be turned on or off, by its id, until the next try. */
  turnErrors: Readonly<Record<string, string>>
  refresh(): Promise<void>
  /** Puts `override` in the place of any earlier one. */
  putModel(id: string, override: ModelOverride): Promise<void>
  dropOverride(id: string): Promise<void>
  /** Shows the model as on or off at once. Never throws: what went wrong stands in `turnErrors`. */
  turn(id: string, on: boolean): Promise<void>
}

export const useModels = create<ModelsStore>()((set, get) => ({
  ...notLoaded,
  models: [],
  all: [],
  turning: {},
  turnErrors: {},
  refresh: () =>
    load<ModelsStore>(set, get, async () => {
      const { data } = await api('listModels', { query: { include: 'disabled' } })
      return { all: data, models: data.filter(({ enabled }) => enabled) }
    }),
  async putModel(id, override) {
    await api('putModel', { params: { id }, body: override })
    await get().refresh()
  },
  async dropOverride(id) {
    await api('deleteModel', { params: { id } })
    await get().refresh()
  },
  async turn(id, on) {
    const running = id in get().turning
    set({ turning: { ...get().turning, [id]: on }, turnErrors: without(get().turnErrors, id) })
    // The one that runs sees the newer wish when it is through.
    if (!running) await turnAsWished(id, set, get)
  },
}))

async function turnAsWished(
  id: string,
  set: (part: Partial<ModelsStore>) => void,
  get: () => ModelsStore,
): Promise<void> {
  let asked: boolean | undefined
  try {
    for (;;) {
      const model = get().all.find((one) => one.id === id)
      const on = get().turning[id]
      if (!model || on === undefined || on === model.enabled || on === asked) break
      asked = on
      const override = turned(model.override, on)
      if (override === null) await get().dropOverride(id)
      else await get().putModel(id, override)
    }
  } catch (thrown) {
    set({ turnErrors: { ...get().turnErrors, [id]: toApiError(thrown).message } })
  } finally {
    set({ turning: without(get().turning, id) })
  }
}

function without<T>(record: Readonly<Record<string, T>>, id: string): Record<string, T> {
  const { [id]: _, ...rest } = record
  return rest
}
