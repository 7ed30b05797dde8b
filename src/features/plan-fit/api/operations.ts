import { type Operation, reading } from '../../../shared/api/operations/operation.ts'
import { PlanFit, PlanFitQuery } from './plan-fit.ts'
import { planFitRoutes } from './terms.ts'

export const planFitOperations = {
  getPlanFit: {
    ...planFitRoutes.getPlanFit,
    tag: 'Usage',
    summary: 'Compare the plans of vendors with the recorded use',
    description:
      'What the requests and the imported calls of the last days cost by API, and what they would cost with each plan. With less than 14 days of use there is no answer.',
    scopes: reading,
    query: PlanFitQuery,
    response: PlanFit,
  },
} as const satisfies Record<string, Operation>
