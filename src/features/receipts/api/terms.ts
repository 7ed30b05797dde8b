// The window loads the routes first: no schema.

export const receiptRoutes = {
  getReceipt: { method: 'GET', path: '/v1/requests/{id}/receipt' },
  getSumReceipt: { method: 'GET', path: '/v1/receipts/sum' },
} as const
