import type { RequestRecord } from '../shared/requests.ts'

/** What a request is called in a list: its model, or its endpoint if no model is known. */
export function getRequestName({
  model,
  requestedModel,
  endpoint,
}: Pick<RequestRecord, 'model' | 'requestedModel' | 'endpoint'>): string {
  return model ?? requestedModel ?? endpoint ?? 'unknown'
}
