export const batchRoutes = {
  listBatchJobs: { method: 'GET', path: '/v1/batch-jobs' },
  cancelBatchJob: { method: 'POST', path: '/v1/batch-jobs/{id}/cancel' },
} as const
