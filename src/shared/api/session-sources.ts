// The sources of a session's identity. The store's threads use this too, and load no schemas.
export const SESSION_SOURCES = [
  'claude-code',
  'codex',
  'opencode',
  'header',
  'user',
  'metadata',
  'pause',
] as const
