import { useQuery } from '@tanstack/react-query'
import { useNow } from '../components/relative-time.tsx'
import { nameSession } from '../session-name.ts'
import { useTimeZone } from './hooks.ts'
import { sessionQuery } from './session-list.ts'

/** What a session is called; undefined until it has been read, or without one. */
export function useSessionName(id: string | null | undefined): string | undefined {
  const { data } = useQuery({ ...sessionQuery(id ?? ''), enabled: Boolean(id) })
  const now = useNow()
  const zone = useTimeZone()
  return data && nameSession(data, { now, zone })
}
