import { DeletedBodies } from '../account.ts'
import { RequestList, RequestQuery, RequestTotals, RequestTotalsQuery } from '../request-queries.ts'
import { RequestBodies, RequestRecord, RunningRequests, SettleRequest } from '../requests.ts'
import { routes } from '../routes.ts'
import { Usage, UsageQuery } from '../usage.ts'
import { admin, describeOperations, reading } from './operation.ts'

export const requestsOperations = describeOperations(routes, { tag: 'Requests', scopes: reading })({
  listRequests: {
    summary: 'List requests',
    description: 'Newest first, unless `sort` and `order` say otherwise.',
    query: RequestQuery,
    response: RequestList,
  },
  getRequestTotals: {
    summary: 'Get the totals of a list of requests',
    description: 'With the filters of the list.',
    query: RequestTotalsQuery,
    response: RequestTotals,
  },
  listRunningRequests: {
    summary: 'List the requests that are running',
    description: 'With their tokens and cost so far, and what is reserved for them.',
    response: RunningRequests,
  },
  deleteBodies: {
    summary: 'Delete all stored prompts and responses',
    description: 'The request records stay.',
    scopes: admin,
    response: DeletedBodies,
  },
  getRequest: {
    summary: 'Get a request',
    description: 'Includes its attempts, timings, usage, cost and how it was priced.',
    response: RequestRecord,
  },
  getRequestBodies: {
    summary: 'Get the stored prompt and response of a request',
    description:
      'They are stored only while the setting `storeBodies` (or `storeBodiesUntil`) or that of the key is on.',
    scopes: admin,
    response: RequestBodies,
  },
  stopRequest: {
    summary: 'Stop a running request',
    description:
      'Ends the call of its provider. Its client gets 403 with the code `request_stopped`, or that error in its stream. Answers once what has come is charged. 404 if it is not running.',
    scopes: admin,
    response: RequestRecord,
  },
  settleRequest: {
    summary: 'Settle an unsettled request',
    description: "Sets the cost of a request whose outcome is unknown, according to the provider's invoice.",
    scopes: admin,
    body: SettleRequest,
    response: RequestRecord,
  },
  releaseRequest: {
    summary: 'Release what is held for a request',
    description:
      'Ends the reservation that outlives a request without an answer (`heldUsd`), because its provider will bill no more.',
    scopes: admin,
    response: RequestRecord,
  },
  getUsage: {
    tag: 'Usage',
    summary: 'Get usage',
    description:
      'Grouped by hour, day, week, month, key, model, provider, client, tag, session, branch or commit.',
    query: UsageQuery,
    response: Usage,
  },
})
