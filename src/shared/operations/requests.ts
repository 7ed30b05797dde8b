import { DeletedBodies } from '../account.ts'
import { RequestBodies, RequestList, RequestQuery, RequestRecord, SettleRequest } from '../requests.ts'
import { Usage, UsageQuery } from '../usage.ts'
import { admin, type Operation, reading } from './operation.ts'

export const requestsOperations = {
  listRequests: {
    method: 'GET',
    path: '/v1/requests',
    tag: 'Requests',
    summary: 'List requests',
    description: 'Newest first.',
    scopes: reading,
    query: RequestQuery,
    response: RequestList,
  },
  deleteBodies: {
    method: 'DELETE',
    path: '/v1/requests/bodies',
    tag: 'Requests',
    summary: 'Delete all stored prompts and responses',
    description: 'The request records stay.',
    scopes: admin,
    response: DeletedBodies,
  },
  getRequest: {
    method: 'GET',
    path: '/v1/requests/{id}',
    tag: 'Requests',
    summary: 'Get a request',
    description: 'Includes its attempts, timings, usage, cost and how it was priced.',
    scopes: reading,
    response: RequestRecord,
  },
  getRequestBodies: {
    method: 'GET',
    path: '/v1/requests/{id}/bodies',
    tag: 'Requests',
    summary: 'Get the stored prompt and response of a request',
    description: 'They are stored only while the setting `storeBodies` is on.',
    scopes: admin,
    response: RequestBodies,
  },
  settleRequest: {
    method: 'POST',
    path: '/v1/requests/{id}/settle',
    tag: 'Requests',
    summary: 'Settle an unsettled request',
    description: "Sets the cost of a request whose outcome is unknown, according to the provider's invoice.",
    scopes: admin,
    body: SettleRequest,
    response: RequestRecord,
  },
  getUsage: {
    method: 'GET',
    path: '/v1/usage',
    tag: 'Usage',
    summary: 'Get usage',
    description: 'Grouped by day, week, month, key, model, provider or client.',
    scopes: reading,
    query: UsageQuery,
    response: Usage,
  },
} as const satisfies Record<string, Operation>
