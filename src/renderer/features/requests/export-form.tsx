import { type FormEvent, type ReactNode, useMemo, useState } from 'react'
import { toast } from 'sonner'
import { create } from 'zustand'
import type { ResponseOf } from '../../../shared/api/operations.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { api } from '../../data/api.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { readTimeZone } from '../../data/queries.ts'
import { countFilters, filterToQuery, type RequestFilter } from '../../data/request-filter.ts'
import { useRequestTotals } from '../../data/request-log.ts'
import { toApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { SegmentedControl } from '../../kit/controls.tsx'
import { DialogActions } from '../../kit/dialog.tsx'
import { type CsvColumn, type CsvValue, createCsvWriter, csvFields, download } from '../../kit/download.ts'
import { formatCount, formatQuantity, getDay } from '../../kit/format.ts'
import { showError } from '../../kit/show-error.ts'
import { DateRangePicker } from '../../parts/period/date-range-picker.tsx'
import { type ColumnId, useLogColumns } from './log-columns.tsx'

const formats: readonly { value: ExportFormat; label: string }[] = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
]
const columnChoices = [
  { value: 'all', label: 'All columns' },
  { value: 'table', label: 'Same as the table' },
] as const

export function ExportForm({ filter, onClose }: { filter: RequestFilter; onClose: () => void }) {
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [columns, setColumns] = useState<'all' | 'table'>('all')
  const [range, setRange] = useState(filter.range)
  // The filter when the dialog opened.
  const [exported] = useState(filter)
  const chosen = useLogColumns((store) => store.chosen)
  const timeZone = useTimeZone()
  const run = useRequestExport((store) => store.run)
  const wanted = useMemo(() => ({ ...exported, range }), [exported, range])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    onClose()
    try {
      const count = await run({
        filter: wanted,
        writer: createExportWriter({ format, columns: columns === 'all' ? null : chosen }),
        fileName: `tollgate-requests-${getDay(Date.now(), timeZone)}.${format}`,
      })
      if (count !== null) toast.success(`${formatQuantity(count, 'request')} exported.`)
    } catch (thrown) {
      showError(thrown, 'The export failed')
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <Row label="Format">
        <SegmentedControl label="Format" options={formats} value={format} onChange={setFormat} />
      </Row>
      <Row label="Columns">
        <SegmentedControl label="Columns" options={columnChoices} value={columns} onChange={setColumns} />
      </Row>
      <Row label="Range">
        <DateRangePicker small range={range} onChange={setRange} onClear={() => setRange(null)} />
      </Row>
      <Row label="Requests">
        <Matches filter={wanted} />
      </Row>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary">
          {`Export ${format.toUpperCase()}`}
        </Button>
      </DialogActions>
    </form>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-h-7 items-center gap-3">
      <span aria-hidden className="w-20 shrink-0 text-ink-2">
        {label}
      </span>
      {children}
    </div>
  )
}

function Matches({ filter }: { filter: RequestFilter }) {
  const { totals } = useRequestTotals(filter)
  const filtered = countFilters(filter) > 0 || filter.text.trim() !== ''
  if (totals === undefined) return <span className="text-ink-3">…</span>
  return (
    <span>
      {formatCount(totals.requests)}
      <span className="text-ink-3">{filtered ? ', those that match the filter' : ''}</span>
    </span>
  )
}

/** The most the gateway returns at a time. */
const PAGE = 500

interface ExportOptions {
  filter: RequestFilter
  fileName: string
  writer: ExportWriter
}

interface ExportStore {
  /** Requests written so far; null when no export runs. */
  written: number | null
  /** Resolves to how many requests the file has; null when it was stopped. Throws ApiError. */
  run(ask: ExportOptions): Promise<number | null>
  stop(): void
}

let running: AbortController | null = null

export const useRequestExport = create<ExportStore>()((set) => ({
  written: null,
  async run({ filter, fileName, writer: { type, head, between, tail, write } }) {
    running?.abort()
    const control = new AbortController()
    running = control
    set({ written: 0 })
    // The browser may keep blobs on the disk, unlike strings.
    const parts: Blob[] = [new Blob([head])]
    let written = 0
    let cursor: string | null = null
    try {
      const filterQuery = filterToQuery(filter, await readTimeZone())
      do {
        const query = { limit: PAGE, ...filterQuery, ...(cursor ? { cursor } : {}) }
        const page: ResponseOf<'listRequests'> = await api('listRequests', { query, signal: control.signal })
        const text = page.data.map(write).join(between)
        if (page.data.length > 0) parts.push(new Blob([written === 0 ? '' : between, text]))
        written += page.data.length
        cursor = page.nextCursor
        set({ written })
      } while (cursor !== null)
      download(new Blob([...parts, tail], { type }), fileName)
      return written
    } catch (thrown) {
      if (control.signal.aborted) return null
      throw toApiError(thrown)
    } finally {
      if (running === control) {
        running = null
        set({ written: null })
      }
    }
  },
  stop() {
    running?.abort()
  },
}))

type ExportFormat = 'csv' | 'json'

interface ExportChoice {
  format: ExportFormat
  /** The columns of the table to export; null for all that is known of each request. */
  columns: readonly ColumnId[] | null
}

type ExportedColumn = CsvColumn<RequestRecord>

const fields = csvFields<RequestRecord>

const exported: readonly ExportedColumn[] = [
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

/** The fields in the file for each column of the table. The speed is left out, as it follows from the others. */
const fieldsOfColumns: Readonly<Record<ColumnId, readonly string[]>> = {
  time: ['createdAt'],
  key: ['keyName'],
  client: ['clientName'],
  project: ['tag'],
  session: ['sessionId'],
  model: ['requestedModel', 'model'],
  provider: ['provider'],
  endpoint: ['endpoint'],
  status: ['status', 'httpStatus', 'count'],
  tokens: ['tokensIn', 'tokensOut'],
  cacheRead: ['cacheReadTokens'],
  cost: ['costUsd', 'costStatus', 'sample', 'worthUsd', 'savedUsd'],
  held: ['heldUsd', 'heldUntil'],
  latency: ['totalMs'],
  firstByte: ['firstByteMs'],
  rate: [],
  attempts: ['attempts'],
}

interface ExportWriter {
  type: string
  /** The text before all records, between two of them, and after the last. */
  head: string
  between: string
  tail: string
  write(record: RequestRecord): string
}

export function createExportWriter({ format, columns }: ExportChoice): ExportWriter {
  const chosen = columns === null ? exported : selectFields(columns)
  if (format === 'csv') return createCsvWriter(chosen)
  return {
    type: 'application/json',
    head: '[\n',
    between: ',\n',
    tail: '\n]\n',
    write: (record) => JSON.stringify(columns === null ? record : pick(record, chosen)),
  }
}

/** In the order of the file, whatever the order of the table. */
function selectFields(columns: readonly ColumnId[]): readonly ExportedColumn[] {
  const names = new Set(['id', ...columns.flatMap((id) => fieldsOfColumns[id])])
  return exported.filter(([name]) => names.has(name))
}

function pick(record: RequestRecord, fields: readonly ExportedColumn[]): Record<string, CsvValue> {
  return Object.fromEntries(
    fields.map(([name, value]) => [name, name === 'costUsd' ? record.costUsd : value(record)]),
  )
}
