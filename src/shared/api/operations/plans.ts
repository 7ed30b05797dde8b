import { PlanHistory, PlanHistoryQuery, PlanShares, PlanSharesQuery, PlanStates } from '../plans.ts'
import { routes } from '../routes.ts'
import { anyone, type Operation, reading } from './operation.ts'

export const plansOperations = {
  listPlanStates: {
    ...routes.listPlanStates,
    tag: 'Account',
    summary: 'List the windows of plans',
    description: 'As the vendors of Claude and ChatGPT plans have reported them with their answers.',
    scopes: anyone,
    response: PlanStates,
  },
  getPlanHistory: {
    ...routes.getPlanHistory,
    tag: 'Account',
    summary: 'Get how full the windows of a plan were',
    scopes: reading,
    query: PlanHistoryQuery,
    response: PlanHistory,
  },
  getPlanShares: {
    ...routes.getPlanShares,
    tag: 'Account',
    summary: 'Get what used the windows of a plan',
    description: 'Divided by session, tag or key.',
    scopes: reading,
    query: PlanSharesQuery,
    response: PlanShares,
  },
} as const satisfies Record<string, Operation>
