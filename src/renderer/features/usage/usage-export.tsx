import { Download } from 'lucide-react'
import { useLocation } from 'wouter'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { Button } from '../../kit/button.tsx'
import { type CsvColumn, createCsv, csvFields, download, formatUsdCell } from '../../kit/download.ts'
import { formatMonth } from '../../kit/format.ts'
import { Menu } from '../../kit/menu.tsx'
import { ROWS, type UsageAddress } from './usage-filter-bar.tsx'
import { computeCost, type TableRow } from './usage-row.ts'

interface UsageExportProps {
  by: UsageAddress['by']
  fileName: string
  /** The last month that is shown, as YYYY-MM. */
  month: string
  /** In the order in which they are shown. */
  rows: readonly TableRow[]
}

export function UsageExport({ by, fileName, month, rows }: UsageExportProps) {
  const [, navigate] = useLocation()
  const name = lowerLabel(ROWS.find(({ value }) => value === by)?.label ?? by)
  return (
    <Menu
      label="Export"
      trigger={
        <Button icon={Download} disabled={rows.length === 0}>
          Export
        </Button>
      }
      items={[
        {
          label: `CSV by ${name}`,
          onSelect: () => download(createCsv(listColumns(name), rows), fileName),
        },
        { label: `Receipt of ${formatMonth(month)}`, onSelect: () => navigate(`/receipts/${month}`) },
      ]}
    />
  )
}

const fields = csvFields<TableRow>

/** `name`: what the rows are. */
function listColumns(name: string): CsvColumn<TableRow>[] {
  return [
    [name, (row) => row.name],
    [`${name} id`, (row) => row.id],
    ...fields('requests', 'tokensIn', 'tokensOut', 'tokensCached'),
    ['costUsd', (row) => formatUsdCell(computeCost(row) ?? null)],
    ...fields('unpriced', 'errors', 'latencyP50Ms', 'latencyP95Ms', 'worthUsd'),
    ['previousCostUsd', ({ beforeUsd }) => formatUsdCell(beforeUsd ?? null)],
    ...fields('savedUsd'),
    ['origin', ({ isImported }) => (isImported ? 'import' : null)],
  ]
}
