import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { noFilter } from '../../data/request-filter.ts'
import { newestFirst } from '../../data/request-listing.ts'
import { loadOlderRequests, requestLog } from '../../data/request-log.ts'
import { useNow } from '../../kit/use-now.ts'
import { layoutSteps } from './step-layout.ts'

/** All requests of a session, from the first to the last, as they arrive. Undefined until all have been read. */
export function useSteps(sessionId: string) {
  const listing = useMemo(() => newestFirst({ ...noFilter, session: sessionId }), [sessionId])
  const { data: log, error, refetch } = useQuery(requestLog(listing))
  const now = useNow()
  const { records, nextCursor, olderError } = log ?? {}
  useEffect(() => {
    if (nextCursor && !olderError) void loadOlderRequests(listing)
  }, [listing, nextCursor, olderError])
  const ordered = useMemo(() => records?.toReversed(), [records])
  const isRunning = ordered?.some(({ status }) => status === 'running') ?? false
  const until = isRunning ? now : 0
  const steps = useMemo(() => ordered && layoutSteps(ordered, until), [ordered, until])
  return {
    steps: nextCursor === null ? steps : undefined,
    error: error ?? olderError ?? null,
    retry: () => void (olderError ? loadOlderRequests(listing) : refetch()),
  }
}
