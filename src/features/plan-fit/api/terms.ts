// The window loads the routes first: no schema.

export const planFitRoutes = {
  getPlanFit: { method: 'GET', path: '/v1/plan-fit' },
} as const

/** The lengths of windows in words. */
export const LENGTH_NAMES = { 'five-hours': '5 hours', week: 'A week', month: 'A month' } as const

/** The origin of an allowance, in words. */
export const BASIS_NAMES = {
  published: 'published by the vendor',
  measured: 'measured by users',
  ratio: 'a ratio to a measured one',
  unpublished: 'not published',
} as const
