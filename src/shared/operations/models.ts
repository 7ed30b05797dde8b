import { DeletedModelOverride, ModelList, ModelOverride, ModelQuery, ModelRecord } from '../models.ts'
import { Estimate, EstimateRequest, PriceStatus, PriceSuggestionList } from '../pricing.ts'
import { admin, anyone, type Operation, reading } from './operation.ts'

export const modelsOperations = {
  listModels: {
    method: 'GET',
    path: '/v1/models',
    tag: 'Models',
    summary: 'List models',
    description: 'Lists the models that can be used now.',
    scopes: anyone,
    query: ModelQuery,
    response: ModelList,
  },
  getModel: {
    method: 'GET',
    path: '/v1/models/{id+}',
    tag: 'Models',
    summary: 'Get a model',
    scopes: anyone,
    response: ModelRecord,
  },
  putModel: {
    method: 'PUT',
    path: '/v1/models/{id+}',
    tag: 'Models',
    summary: 'Add or override a model',
    description: 'Replaces the whole override of the model.',
    scopes: admin,
    body: ModelOverride,
    response: ModelRecord,
  },
  deleteModel: {
    method: 'DELETE',
    path: '/v1/models/{id+}',
    tag: 'Models',
    summary: 'Delete the override of a model',
    scopes: admin,
    response: DeletedModelOverride,
  },
  estimateCost: {
    method: 'POST',
    path: '/v1/pricing/estimate',
    tag: 'Estimates',
    summary: 'Estimate the cost of a workload',
    description: 'Calculates a monthly cost and recommends a plan.',
    scopes: reading,
    body: EstimateRequest,
    response: Estimate,
    errors: [404],
  },
  getPrices: {
    method: 'GET',
    path: '/v1/prices',
    tag: 'Prices',
    summary: 'Get the status of the price database',
    scopes: reading,
    response: PriceStatus,
  },
  listPriceSuggestions: {
    method: 'GET',
    path: '/v1/prices/suggestions',
    tag: 'Prices',
    summary: 'List prices for models without one',
    description:
      'Lists what known providers charge for models of the same names. Nothing is charged by them.',
    scopes: reading,
    response: PriceSuggestionList,
  },
  refreshPrices: {
    method: 'POST',
    path: '/v1/prices/refresh',
    tag: 'Prices',
    summary: 'Refresh the price database',
    scopes: admin,
    response: PriceStatus,
  },
} as const satisfies Record<string, Operation>
