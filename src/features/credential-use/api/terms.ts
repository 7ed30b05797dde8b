// The window loads the routes first: no schema.

export const credentialUseRoutes = {
  listCredentialUse: { method: 'GET', path: '/v1/providers/{id}/credentials' },
} as const
