import { DeletedModelOverride, ModelList, ModelOverride, ModelQuery, ModelRecord } from '../models.ts'
import { Estimate, EstimateRequest, PriceStatus, PriceSuggestionList } from '../pricing.ts'
import { routes } from '../routes.ts'
import { admin, anyone, type Operation, reading } from './operation.ts'

export const modelsOperations = {
  listModels: {
    ...routes.listModels,
    tag: 'Models',
    summary: 'List models',
    description: 'Lists the models that can be used now.',
    scopes: anyone,
    query: ModelQuery,
    response: ModelList,
  },
  getModel: {
    ...routes.getModel,
    tag: 'Models',
    summary: 'Get a model',
    scopes: anyone,
    response: ModelRecord,
  },
  putModel: {
    ...routes.putModel,
    tag: 'Models',
    summary: 'Add or override a model',
    description: 'Replaces the whole override of the model.',
    scopes: admin,
    body: ModelOverride,
    response: ModelRecord,
  },
  deleteModel: {
    ...routes.deleteModel,
    tag: 'Models',
    summary: 'Delete the override of a model',
    scopes: admin,
    response: DeletedModelOverride,
  },
  estimateCost: {
    ...routes.estimateCost,
    reads: true,
    tag: 'Estimates',
    summary: 'Estimate the cost of a workload',
    description: 'Calculates a monthly cost and recommends a plan.',
    scopes: reading,
    body: EstimateRequest,
    response: Estimate,
    errors: [404],
  },
  getPrices: {
    ...routes.getPrices,
    tag: 'Prices',
    summary: 'Get the status of the price database',
    scopes: reading,
    response: PriceStatus,
  },
  listPriceSuggestions: {
    ...routes.listPriceSuggestions,
    tag: 'Prices',
    summary: 'List prices for models without one',
    description:
      'Lists what known providers charge for models of the same names. Nothing is charged by them.',
    scopes: reading,
    response: PriceSuggestionList,
  },
  refreshPrices: {
    ...routes.refreshPrices,
    tag: 'Prices',
    summary: 'Refresh the price database',
    scopes: admin,
    response: PriceStatus,
  },
} as const satisfies Record<string, Operation>
