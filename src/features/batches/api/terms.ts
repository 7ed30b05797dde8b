// The window loads these first: no schema.

export const batchRoutes = {
  listBatchJobs: { method: 'GET', path: '/v1/batch-jobs' },
  cancelBatchJob: { method: 'POST', path: '/v1/batch-jobs/{id}/cancel' },
} as const

/** The types of its live events. */
export const BATCH_EVENTS = { batch: true, 'batch-alert': true } as const

export const BATCH_ALERTS = ['batch-alert'] as const
