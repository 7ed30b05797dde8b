import { Download } from 'lucide-react'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { CSV_TYPE, type CsvValue, download, formatRow, formatUsdCell, UTF8_MARK } from '../../kit/download.ts'
import { chooseUsdDecimals, formatCount, formatMonth, formatUsd } from '../../kit/format.ts'
import { Menu } from '../../kit/menu.tsx'
import { showError } from '../../kit/show-error.ts'
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

export function UsageExport({ address: { by, parts }, fileName, month, rows, readParts }: UsageExportProps) {
  const [, navigate] = useLocation()
  const save = (text: string) => download(new Blob([text], { type: CSV_TYPE }), fileName)
  const saveParts = async () => {
    try {
      save(formatParts(await readParts(), toHead(by), toHead(parts)))
    } catch (thrown) {
      showError(thrown, 'The export failed')
    }
  }
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
        { label: `CSV by ${getName(by)}`, onSelect: () => save(formatRows(rows, toHead(by))) },
        ...(hasParts(by)
          ? [{ label: `CSV by ${getName(by)} and ${getName(parts)}`, onSelect: () => void saveParts() }]
          : []),
        'separator',
        { label: `Receipt of ${formatMonth(month)}`, onSelect: () => navigate(`/receipts/${month}`) },
      ]}
    />
  )
}

const columns: readonly [string, (row: TableRow) => CsvValue][] = [
  ['requests', ({ requests }) => requests],
  ['tokensIn', ({ tokensIn }) => tokensIn],
  ['tokensOut', ({ tokensOut }) => tokensOut],
  ['tokensCached', ({ tokensCached }) => tokensCached],
  ['costUsd', (row) => formatUsdCell(computeCost(row) ?? null)],
  ['unpriced', ({ unpriced }) => unpriced],
  ['errors', ({ errors }) => errors],
  ['latencyP50Ms', ({ latencyP50Ms }) => latencyP50Ms],
  ['latencyP95Ms', ({ latencyP95Ms }) => latencyP95Ms],
  ['worthUsd', ({ worthUsd }) => formatUsdCell(worthUsd)],
  ['previousCostUsd', ({ beforeUsd }) => formatUsdCell(beforeUsd ?? null)],
  ['savedUsd', ({ savedUsd }) => formatUsdCell(savedUsd)],
  ['origin', ({ isImported }) => (isImported ? 'import' : null)],
]

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

function formatRows(rows: readonly TableRow[], by: string): string {
  return write(
    [by, `${by} id`],
    rows.map((row) => ({ names: [row.name, row.id], row })),
  )
}

function formatParts(rows: readonly TableRow[], by: string, parts: string): string {
  const lines = rows.flatMap((row) =>
    (row.parts ?? []).map((part) => ({ names: [row.name, row.id, part.name, part.id], row: part })),
  )
  return write([by, `${by} id`, parts, `${parts} id`], lines)
}

function write(heads: readonly string[], lines: readonly { names: string[]; row: TableRow }[]): string {
  const head = formatRow([...heads, ...columns.map(([name]) => name)])
  const rest = lines.map(({ names, row }) => formatRow([...names, ...columns.map(([, value]) => value(row))]))
  return `${UTF8_MARK}${[head, ...rest].join('\r\n')}\r\n`
}

/** The head of a column in a file, which is the same in every language. */
function toHead(by: UsageAddress['by']): string {
  return by === 'client' ? 'tool' : by === 'tag' ? 'project' : by
}

/** A file of some of the rows. */
export function createUsageCsv(rows: readonly TableRow[], by: UsageAddress['by']): Blob {
  return new Blob([formatRows(rows, toHead(by))], { type: CSV_TYPE })
}

function getName(by: UsageAddress['by']): string {
  return lowerLabel(getLabel(by))
}

function getLabel(by: UsageAddress['by']): string {
  return ROWS.find(({ value }) => value === by)?.label ?? by
}
