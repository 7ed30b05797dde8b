import { useMemo } from 'react'
import type { RequestRecord } from '../../../../shared/api/requests.ts'
import { useRequestBodies } from '../../../parts/requests/request-bodies.ts'
import { readTranscript } from '../../../parts/transcript/read-transcript.ts'

const MAX_LENGTH = 400

/** Blocks that agents put around the words of the user. */
const BLOCK = /<([a-z_-]+)>[\s\S]*?<\/\1>/g

/** The first words of what the user wrote last; blank until they are read, and if there are none. */
export function usePromptWords(record: RequestRecord, enabled = true): string {
  const { data } = useRequestBodies(record, enabled)
  return useMemo(() => {
    const messages = data
      ? (readTranscript({ ...data, response: null }, record.endpoint)?.messages ?? [])
      : []
    const parts = messages.findLast(({ role }) => role === 'user')?.parts ?? []
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
    return (text.replace(BLOCK, ' ').trim() || text.trim()).slice(0, MAX_LENGTH)
  }, [data, record.endpoint])
}
