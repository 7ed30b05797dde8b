import type { ModelRecord } from '../../../shared/api/models.ts'
import { pickModel } from '../../../shared/tools/tool-models.ts'

/** `wanted`: an id, or `provider/id`. */
export function findModel(models: readonly ModelRecord[], wanted: string): ModelRecord | undefined {
  return models.find(({ id, provider }) => id === wanted || `${provider}/${id}` === wanted)
}

/** The models of a chat, those that are not served replaced by one that is. The same while nothing is known of `served`. */
export function chooseModels(wanted: readonly string[], served: readonly ModelRecord[]): string[] {
  return wanted.map((id) => (served.length === 0 || findModel(served, id) ? id : pickModel(served)))
}
