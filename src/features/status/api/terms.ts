// The window loads these first: no schema.

export const statusRoutes = {
  getStatus: { method: 'GET', path: '/v1/status' },
} as const
