// The window reads this at its start, so it is apart from the schemas.

export const REQUEST_STATUSES = ['running', 'succeeded', 'failed', 'canceled', 'refused', 'rejected'] as const

export const COST_STATUSES = [
  'pending',
  'exact',
  'estimated',
  'unsettled',
  'confirmed',
  'unknown',
  'free',
] as const

export const REQUEST_SORTS = ['time', 'cost', 'duration', 'tokens'] as const
export const SORT_ORDERS = ['desc', 'asc'] as const
