import { Copy, Download, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { toast } from 'sonner'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { copyText } from './copy.tsx'
import { download } from './download.ts'
import { formatCount } from './format.ts'
import { IconButton } from './icon-button.tsx'
import { Money } from './money.tsx'

interface MarkedRow {
  id: string
  costUsd: number | null
  tokensIn?: number
  tokensOut?: number
}

interface MarkedBarProps<Row extends MarkedRow> {
  /** Those of the list that are marked. */
  rows: readonly Row[]
  /** The file of the rows, if they can be saved, and its name. */
  csv?: { create: (rows: readonly Row[]) => Blob; fileName: string }
  onClear: () => void
  /** The list is in a card. */
  inCard?: boolean
  /** Further actions, before those of every list. */
  children?: ReactNode
}

/** The sum of the marked rows, and what can be done with them; renders nothing for none. */
export function MarkedBar<Row extends MarkedRow>(props: MarkedBarProps<Row>) {
  const { rows, csv, onClear, inCard = false, children } = props
  if (rows.length === 0) return null
  const tokens = rows.reduce((sum, { tokensIn = 0, tokensOut = 0 }) => sum + tokensIn + tokensOut, 0)
  const costUsd = rows.reduce((sum, row) => sum + (row.costUsd ?? 0), 0)
  const copyIds = async () => {
    if (await copyText(rows.map(({ id }) => id).join('\n'))) toast.success('IDs copied.')
  }
  return (
    <div
      role="status"
      className={cn(
        'flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b bg-accent-soft py-1.5 text-sm max-sm:px-4',
        inCard ? 'px-4' : 'px-6',
      )}
    >
      <span className="mr-auto">
        <b className="font-medium">{`${formatCount(rows.length)} selected`}</b> ·{' '}
        <Money usd={costUsd} className="font-medium" />
        {tokens === 0 ? null : <> · {`${formatCount(tokens, true)} tokens`}</>}
      </span>
      {children}
      <Button small icon={Copy} onClick={() => void copyIds()}>
        Copy IDs
      </Button>
      {csv ? (
        <Button small icon={Download} onClick={() => download(csv.create(rows), csv.fileName)}>
          CSV
        </Button>
      ) : null}
      <IconButton small label="Clear selection" icon={X} onClick={onClear} />
    </div>
  )
}
