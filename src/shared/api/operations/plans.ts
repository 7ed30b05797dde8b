import { PlanHistory, PlanHistoryQuery, PlanShares, PlanSharesQuery, PlanStates } from '../plans.ts'
import { routes } from '../routes.ts'
import { anyone, describeOperations, reading } from './operation.ts'

export const plansOperations = describeOperations(routes, { tag: 'Account', scopes: reading })({
  listPlanStates: {
    summary: 'List the windows of plans',
    description: 'As the vendors of Claude and ChatGPT plans have reported them with their answers.',
    scopes: anyone,
    response: PlanStates,
  },
  getPlanHistory: {
    summary: 'Get how full the windows of a plan were',
    query: PlanHistoryQuery,
    response: PlanHistory,
  },
  getPlanShares: {
    summary: 'Get what used the windows of a plan',
    description: 'Divided by session, tag or key.',
    query: PlanSharesQuery,
    response: PlanShares,
  },
})
