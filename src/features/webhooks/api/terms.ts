// The window loads the routes first: no schema.

export const webhookRoutes = {
  getWebhook: { method: 'GET', path: '/v1/webhook' },
  putWebhook: { method: 'PUT', path: '/v1/webhook' },
  deleteWebhook: { method: 'DELETE', path: '/v1/webhook' },
  testWebhook: { method: 'POST', path: '/v1/webhook/test' },
} as const
