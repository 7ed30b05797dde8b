import { z } from 'zod'

export const SESSION_SOURCES = [
  'claude-code',
  'codex',
  'opencode',
  'header',
  'user',
  'metadata',
  'pause',
] as const
export const SessionSource = z.enum(SESSION_SOURCES).meta({
  id: 'SessionSource',
  description:
    'What put requests into one session: the session id of a client, a header, the field `user` or `metadata`; ' +
    '`pause`: the same key and client, without a pause of 30 minutes.',
})
export type SessionSource = z.infer<typeof SessionSource>
