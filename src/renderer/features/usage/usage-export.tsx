import { Download } from 'lucide-react'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { type CsvColumn, createCsv, csvFields, download, formatUsdCell } from '../../kit/download.ts'
import { chooseUsdDecimals, formatCount, formatMonth, formatUsd } from '../../kit/format.ts'
import { Menu } from '../../kit/menu.tsx'
import { reportFailure } from '../../kit/show-error.ts'
import { hasParts, ROWS, type UsageAddress } from './usage-filter-bar.tsx'
import { computeCost, type TableRow } from './usage-row.ts'

interface UsageExportProps {
  address: UsageAddress
  fileName: string
  /** The last month that is shown, as YYYY-MM. */
  month: string
  /** In the order in which they are shown. */
  rows: readonly TableRow[]
  /** Reads the rows with their parts. */
  readParts: () => Promise<readonly TableRow[]>
}

export function UsageExport({ address, fileName, month, rows, readParts }: UsageExportProps) {
  const [, navigate] = useLocation()
  const { by, parts } = address
  const saveParts = async () => download(createPartsCsv(await readParts(), address), fileName)
  return (
    <Menu
      label="Export"
      trigger={
        <Button icon={Download} disabled={rows.length === 0}>
          Export
        </Button>
      }
      items={[
        { label: 'Copy as table', onSelect: () => void copyTable(rows, getLabel(by)) },
        { label: `CSV by ${getName(by)}`, onSelect: () => download(createUsageCsv(rows, by), fileName) },
        ...(hasParts(by)
          ? [
              {
                label: `CSV by ${getName(by)} and ${getName(parts)}`,
                onSelect: () => void reportFailure(saveParts(), 'The export failed'),
              },
            ]
          : []),
        'separator',
        { label: `Receipt of ${formatMonth(month)}`, onSelect: () => navigate(`/receipts/${month}`) },
      ]}
    />
  )
}

interface Line {
  row: TableRow
  /** The row that it is a part of; itself for a whole row. */
  whole: TableRow
}

const fields = csvFields<TableRow>
const numbers: readonly CsvColumn<TableRow>[] = [
  ...fields('requests', 'tokensIn', 'tokensOut', 'tokensCached'),
  ['costUsd', (row) => formatUsdCell(computeCost(row) ?? null)],
  ...fields('unpriced', 'errors', 'latencyP50Ms', 'latencyP95Ms', 'worthUsd'),
  ['previousCostUsd', ({ beforeUsd }) => formatUsdCell(beforeUsd ?? null)],
  ...fields('savedUsd'),
  ['origin', ({ isImported }) => (isImported ? 'import' : null)],
]

/** The columns of a file; `parts`: what its rows are divided by. */
function listColumns(by: string, parts: string | null): CsvColumn<Line>[] {
  return [
    [by, ({ whole }) => whole.name],
    [`${by} id`, ({ whole }) => whole.id],
    ...(parts === null
      ? []
      : ([
          [parts, ({ row }) => row.name],
          [`${parts} id`, ({ row }) => row.id],
        ] satisfies CsvColumn<Line>[])),
    ...numbers.map(([head, read]): CsvColumn<Line> => [head, ({ row }) => read(row)]),
  ]
}

async function copyTable(rows: readonly TableRow[], label: string): Promise<void> {
  if (await copyText(formatTable(rows, label))) toast.success('Copied as a table.')
}

/** A table in Markdown, as chats and issue trackers show it, with the amounts as the view writes them. */
function formatTable(rows: readonly TableRow[], label: string): string {
  const decimals = chooseUsdDecimals(rows.map(({ costUsd }) => costUsd))
  const lines = rows.map((row) => {
    const cost = computeCost(row)
    const name = row.name.replace(/[|\\]/g, '\\$&')
    const tokens = formatCount(row.tokensIn + row.tokensOut, true)
    return [
      name,
      formatCount(row.requests),
      tokens,
      cost === undefined ? 'unknown' : formatUsd(cost, decimals),
    ]
  })
  const table = [[label, 'Requests', 'Tokens', 'Cost'], ['---', '--:', '--:', '--:'], ...lines]
  return table.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** The head of a column in a file, which is the same in every language. */
function toHead(by: UsageAddress['by']): string {
  return by === 'client' ? 'tool' : by === 'tag' ? 'project' : by
}

/** A file of rows. */
export function createUsageCsv(rows: readonly TableRow[], by: UsageAddress['by']): Blob {
  return createCsv(
    listColumns(toHead(by), null),
    rows.map((row) => ({ row, whole: row })),
  )
}

/** A file of the parts of rows. */
function createPartsCsv(rows: readonly TableRow[], { by, parts }: UsageAddress): Blob {
  return createCsv(
    listColumns(toHead(by), toHead(parts)),
    rows.flatMap((whole) => (whole.parts ?? []).map((row) => ({ row, whole }))),
  )
}

function getName(by: UsageAddress['by']): string {
  return lowerLabel(getLabel(by))
}

function getLabel(by: UsageAddress['by']): string {
  return ROWS.find(({ value }) => value === by)?.label ?? by
}
