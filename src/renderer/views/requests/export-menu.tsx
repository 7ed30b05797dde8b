import { Download, X } from 'lucide-react'
import { toast } from 'sonner'
import { toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { Menu } from '../../components/menu.tsx'
import { dayOf, formatCount } from '../../format.ts'
import { useTimeZone } from '../../server-state/hooks.ts'
import { filterToSearch, type RequestFilter } from '../../server-state/request-filter.ts'
import { type ExportFormat, formatRecord, frames } from './export-format.ts'
import { useRequestExport } from './request-export.ts'

export function ExportMenu({ filter, empty }: { filter: RequestFilter; empty: boolean }) {
  const { written, run, stop } = useRequestExport()
  const timeZone = useTimeZone()
  const start = async (format: ExportFormat) => {
    const { head, between, tail, type } = frames[format]
    try {
      const count = await run({
        filter,
        type,
        head,
        tail,
        fileName: `tollgate-requests-${dayOf(Date.now(), timeZone)}.${format}`,
        write: (records, first) =>
          (first ? '' : between) + records.map((record) => formatRecord(record, format)).join(between),
      })
      if (count !== null)
        toast.success(`${formatCount(count)} ${count === 1 ? 'request' : 'requests'} exported.`)
    } catch (thrown) {
      toast.error(`The export failed: ${toApiError(thrown).message}`)
    }
  }
  if (written !== null) {
    return (
      <div role="status" className="flex items-center gap-2 text-ink-2">
        Exporting: {formatCount(written)}
        <Button small icon={X} onClick={stop}>
          Stop export
        </Button>
      </div>
    )
  }
  const which = filterToSearch(filter) ? 'these requests' : 'all requests'
  return (
    <Menu
      label="Export"
      trigger={
        <Button icon={Download} disabled={empty}>
          Export
        </Button>
      }
      items={[
        { label: `Export ${which} as CSV`, onSelect: () => void start('csv') },
        { label: `Export ${which} as JSON`, onSelect: () => void start('json') },
      ]}
    />
  )
}
