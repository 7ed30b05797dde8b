// The window reads this at its start, so it is apart from the schemas.
export const ERROR_TYPES = [
  'rate_limit_exceeded',
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'insufficient_quota',
  'upstream_error',
  'server_error',
] as const
