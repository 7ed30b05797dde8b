import { Copy, Download, GitCompareArrows, X } from 'lucide-react'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { download } from '../../kit/download.ts'
import { formatCount } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Money } from '../../kit/money.tsx'
import { compareHref, isComparable } from './compare-actions.tsx'
import { createExportWriter } from './export-form.tsx'

interface MarkedRequestsProps {
  /** Those of the list that are marked. */
  records: readonly RequestRecord[]
  onClear: () => void
}

/** The sum of the marked requests, and what can be done with them. */
export function MarkedRequests({ records, onClear }: MarkedRequestsProps) {
  const [, navigate] = useLocation()
  const [first, second] = records
  if (first === undefined) return null
  const tokens = records.reduce((sum, { tokensIn, tokensOut }) => sum + tokensIn + tokensOut, 0)
  const costUsd = records.reduce((sum, record) => sum + (record.costUsd ?? 0), 0)
  const copyIds = async () => {
    if (await copyText(records.map(({ id }) => id).join('\n'))) toast.success('IDs copied.')
  }
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b bg-accent-soft px-6 py-1.5 text-sm max-sm:px-4"
    >
      <span className="mr-auto">
        <b className="font-medium">{formatCount(records.length)} selected</b> ·{' '}
        <Money usd={costUsd} className="font-medium" /> · {formatCount(tokens, true)} tokens
      </span>
      {second && records.length === 2 && records.every(isComparable) ? (
        <Button small icon={GitCompareArrows} onClick={() => navigate(compareHref(first, second))}>
          Compare
        </Button>
      ) : null}
      <Button small icon={Copy} onClick={() => void copyIds()}>
        Copy IDs
      </Button>
      <Button small icon={Download} onClick={() => download(formatCsv(records), 'tollgate-requests.csv')}>
        CSV
      </Button>
      <IconButton small label="Clear selection" icon={X} onClick={onClear} />
    </div>
  )
}

/** A file with all columns of an export. */
function formatCsv(records: readonly RequestRecord[]): Blob {
  const { type, head, between, tail, write } = createExportWriter({ format: 'csv', columns: null })
  return new Blob([head, records.map(write).join(between), tail], { type })
}
