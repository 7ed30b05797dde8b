import { Download, X } from 'lucide-react'
import { useState } from 'react'
import type { RequestFilter } from '../../data/request-filter.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { formatCount } from '../../kit/format.ts'
import { ExportForm } from './export-form.tsx'
import { useRequestExport } from './request-export.ts'

export function ExportButton({ filter, empty }: { filter: RequestFilter; empty: boolean }) {
  const { written, stop } = useRequestExport()
  const [open, setOpen] = useState(false)
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
  return (
    <>
      <Button icon={Download} disabled={empty} onClick={() => setOpen(true)}>
        Export
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Export requests"
        description="Saves the requests that match the filter as a file."
      >
        <ExportForm filter={filter} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
