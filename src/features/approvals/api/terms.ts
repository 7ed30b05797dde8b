// The window loads these first: no schema.

export const approvalRoutes = {
  listApprovals: { method: 'GET', path: '/v1/approvals' },
  requestApproval: { method: 'POST', path: '/v1/approvals' },
  decideApproval: { method: 'POST', path: '/v1/approvals/{id}' },
} as const

/** The types of its live events. */
export const APPROVAL_EVENTS = { approval: true, 'approval-alert': true } as const

export const APPROVAL_ALERTS = ['approval-alert'] as const
