// The schemas by which the command line checks responses. It may be newer or older than the gateway that it calls.
import type { z } from 'zod'
import type { CalledOperationId } from './operation-calls.ts'
import { accountOperations } from './operations/account.ts'
import { activityOperations } from './operations/activity.ts'
import { gatewayOperations } from './operations/gateway.ts'
import { historyOperations } from './operations/history.ts'
import { integrationsOperations } from './operations/integrations.ts'
import { keysOperations } from './operations/keys.ts'
import { modelsOperations } from './operations/models.ts'
import { plansOperations } from './operations/plans.ts'
import { providersOperations } from './operations/providers.ts'
import { receiptsOperations } from './operations/receipts.ts'
import { reconciliationsOperations } from './operations/reconciliations.ts'
import { requestsOperations } from './operations/requests.ts'
import { sessionsOperations } from './operations/sessions.ts'
import { webhookOperations } from './operations/webhook.ts'
import type { ResponseOf } from './operations.ts'

/** Typed so that an operation's schema parses to its own response. */
export const responseSchemas: { readonly [K in CalledOperationId]: { response: z.ZodType<ResponseOf<K>> } } =
  {
    ...modelsOperations,
    ...keysOperations,
    ...requestsOperations,
    ...sessionsOperations,
    ...receiptsOperations,
    ...reconciliationsOperations,
    ...providersOperations,
    ...accountOperations,
    ...plansOperations,
    ...webhookOperations,
    ...activityOperations,
    ...historyOperations,
    ...gatewayOperations,
    ...integrationsOperations,
  }
