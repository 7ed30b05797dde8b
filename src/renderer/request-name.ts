// Owns what a request is called in a list: by its model, or by what was asked for where no model is known.
import type { RequestRecord } from '../shared/requests.ts'

export function requestName({
  model,
  requestedModel,
  endpoint,
}: Pick<RequestRecord, 'model' | 'requestedModel' | 'endpoint'>): string {
  return model ?? requestedModel ?? endpoint ?? 'unknown'
}
