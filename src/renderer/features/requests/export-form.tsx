import { type FormEvent, type ReactNode, useMemo, useState } from 'react'
import { toast } from 'sonner'
import { useTimeZone } from '../../data/hooks.ts'
import { countFilters, type RequestFilter } from '../../data/request-filter.ts'
import { useRequestTotals } from '../../data/request-totals.ts'
import { toApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'
import { DialogActions } from '../../kit/dialog.tsx'
import { formatCount, getDay } from '../../kit/format.ts'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { showError } from '../../kit/show-error.ts'
import { DateRangePicker } from '../../parts/period/date-range-picker.tsx'
import { useLogColumns } from './column-store.ts'
import { createExportWriter, type ExportFormat } from './export-format.ts'
import { useRequestExport } from './request-export.ts'

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
      if (count !== null)
        toast.success(`${formatCount(count)} ${count === 1 ? 'request' : 'requests'} exported.`)
    } catch (thrown) {
      showError(`The export failed: ${toApiError(thrown).message}`)
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
          Export {format.toUpperCase()}
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
