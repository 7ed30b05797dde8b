import type { RequestRecord } from '../../shared/api/requests.ts'

/** The name of a request in a list: its model, or its endpoint if no model is known. */
export function getRequestName({
  model,
  requestedModel,
  endpoint,
}: Pick<RequestRecord, 'model' | 'requestedModel' | 'endpoint'>): string {
  return model ?? requestedModel ?? endpoint ?? 'unknown'
}
