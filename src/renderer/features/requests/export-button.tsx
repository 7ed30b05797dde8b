import { Download, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import type { ResponseOf } from '../../../shared/api/operations.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { api } from '../../data/api.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { readTimeZone } from '../../data/queries.ts'
import { filterToQuery, type RequestFilter } from '../../data/request-filter.ts'
import { Button } from '../../kit/button.tsx'
import {
  CSV_TYPE,
  type CsvColumn,
  csvFields,
  download,
  writeCsvHead,
  writeCsvRows,
} from '../../kit/download.ts'
import { formatCount, formatQuantity, getDay } from '../../kit/format.ts'
import { showError } from '../../kit/show-error.ts'

/** Saves all requests that match the filter as a CSV file, also those that the list has not read. */
export function ExportButton({ filter, disabled }: { filter: RequestFilter; disabled: boolean }) {
  const timeZone = useTimeZone()
  const [written, setWritten] = useState<number | null>(null)
  const control = useRef<AbortController>(null)
  const save = async () => {
    control.current = new AbortController()
    const { signal } = control.current
    setWritten(0)
    try {
      const { file, count } = await createFile(filter, signal, setWritten)
      download(file, `tollgate-requests-${getDay(Date.now(), timeZone)}.csv`)
      toast.success(`${formatQuantity(count, 'request')} exported.`)
    } catch (thrown) {
      if (!signal.aborted) showError(thrown, 'The export failed')
    } finally {
      setWritten(null)
    }
  }
  if (written === null) {
    return (
      <Button icon={Download} disabled={disabled} onClick={() => void save()}>
        Export
      </Button>
    )
  }
  return (
    <div role="status" className="flex items-center gap-2 text-ink-2">
      {`Exporting: ${formatCount(written)}`}
      <Button small icon={X} onClick={() => control.current?.abort()}>
        Stop export
      </Button>
    </div>
  )
}

/** The most that the gateway returns at a time. */
const PAGE = 500

/** Reads all pages. Throws ApiError, or when the signal is aborted. */
async function createFile(filter: RequestFilter, signal: AbortSignal, onWritten: (count: number) => void) {
  const filterQuery = filterToQuery(filter, await readTimeZone())
  // The browser may keep blobs on the disk, unlike strings.
  const parts = [new Blob([writeCsvHead(requestFields)])]
  let count = 0
  let cursor: string | null = null
  do {
    const query = { limit: PAGE, ...filterQuery, ...(cursor ? { cursor } : {}) }
    const page: ResponseOf<'listRequests'> = await api('listRequests', { query, signal })
    parts.push(new Blob([writeCsvRows(requestFields, page.data)]))
    count += page.data.length
    cursor = page.nextCursor
    onWritten(count)
  } while (cursor !== null)
  return { file: new Blob(parts, { type: CSV_TYPE }), count }
}

const fields = csvFields<RequestRecord>

export const requestFields: readonly CsvColumn<RequestRecord>[] = [
  ...fields('id', 'createdAt', 'keyId', 'keyName', 'requestedModel', 'model', 'provider', 'stream', 'status'),
  ...fields('httpStatus', 'tokensIn', 'tokensOut', 'costUsd', 'costStatus', 'costLowUsd', 'costHighUsd'),
  ['queueMs', ({ timings }) => timings.queueMs],
  ['firstByteMs', ({ timings }) => timings.firstByteMs],
  ['totalMs', ({ timings }) => timings.totalMs],
  ['attempts', ({ attempts }) => attempts.length],
  ...fields('client'),
  ['errorType', ({ error }) => error?.type ?? null],
  ['errorCode', ({ error }) => error?.code ?? null],
  ['errorMessage', ({ error }) => error?.message ?? null],
  ...fields('endpoint', 'count', 'lastAt', 'clientName', 'sessionId', 'tag'),
  ['cacheReadTokens', ({ usage }) => usage?.cacheRead ?? null],
  ...fields('sample', 'worthUsd', 'savedUsd', 'heldUsd', 'heldUntil'),
  ['batchId', ({ batch }) => batch?.id ?? null],
  ['batchCustomId', ({ batch }) => batch?.customId ?? null],
]
