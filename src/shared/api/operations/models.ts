import { DeletedModelOverride, ModelList, ModelOverride, ModelQuery, ModelRecord } from '../models.ts'
import { Estimate, EstimateRequest, PriceStatus, PriceSuggestionList } from '../pricing.ts'
import { routes } from '../routes.ts'
import { admin, anyone, describeOperations, reading } from './operation.ts'

export const modelsOperations = describeOperations(routes, { tag: 'Models', scopes: admin })({
  listModels: {
    summary: 'List models',
    description: 'Lists the models that can be used now.',
    scopes: anyone,
    query: ModelQuery,
    response: ModelList,
  },
  getModel: {
    summary: 'Get a model',
    scopes: anyone,
    response: ModelRecord,
  },
  putModel: {
    summary: 'Add or override a model',
    description: 'Replaces the whole override of the model.',
    body: ModelOverride,
    response: ModelRecord,
  },
  deleteModel: {
    summary: 'Delete the override of a model',
    response: DeletedModelOverride,
  },
  estimateCost: {
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
    tag: 'Prices',
    summary: 'Get the status of the price database',
    scopes: reading,
    response: PriceStatus,
  },
  listPriceSuggestions: {
    tag: 'Prices',
    summary: 'List prices for models without one',
    description:
      'Lists what known providers charge for models of the same names. Nothing is charged by them.',
    scopes: reading,
    response: PriceSuggestionList,
  },
  refreshPrices: {
    tag: 'Prices',
    summary: 'Refresh the price database',
    response: PriceStatus,
  },
})
