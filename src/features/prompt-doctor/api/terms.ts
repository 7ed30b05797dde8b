// The window loads the routes first: no schema.

export const promptRoutes = {
  getCaching: { method: 'GET', path: '/v1/usage/caching' },
} as const
