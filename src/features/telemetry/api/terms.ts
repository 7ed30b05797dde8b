// The window loads the routes first: no schema.

export const telemetryRoutes = {
  getMetrics: { method: 'GET', path: '/metrics' },
  getTelemetry: { method: 'GET', path: '/v1/telemetry' },
  updateTelemetry: { method: 'PATCH', path: '/v1/telemetry' },
} as const
