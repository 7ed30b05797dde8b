import { Copy, Download, Printer } from 'lucide-react'
import { type Ref, useId, useRef, useState } from 'react'
import { toast } from 'sonner'
import { Button } from '../../kit/button.tsx'
import { Switch } from '../../kit/controls.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { download } from '../../kit/download.ts'
import { showError } from '../../kit/show-error.ts'

interface ShareDialogProps {
  /** Null while nothing is shared. */
  picture: SharedPicture | null
  /** Without its ending. */
  fileName: string
  onClose: () => void
}

/** Shows the picture, and gives it away: to the clipboard, as a file, or on paper. */
export function ShareDialog({ picture, fileName, onClose }: ShareDialogProps) {
  const [hidden, setHidden] = useState(false)
  const drawn = useRef<SVGSVGElement>(null)
  const note = useId()
  const draw = async () => {
    if (drawn.current === null) throw new Error('The picture is not shown.')
    return await drawPng(drawn.current)
  }
  const copy = async () => {
    // The promise keeps the click's permission in browsers that would lose it during the drawing.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': draw() })])
    toast.success('Picture copied.')
  }
  const save = async () => download(await draw(), `${fileName}.png`)
  const attempt = (action: Promise<void>, failure: string) => void action.catch(() => showError(failure))
  return (
    <Dialog
      open={picture !== null}
      onClose={onClose}
      title="Share"
      description="Nothing is uploaded: the picture is drawn on this computer."
      large
    >
      {picture ? (
        <div data-print>
          <Picture ref={drawn} picture={picture} hidden={hidden} />
        </div>
      ) : null}
      <div className="mt-4 flex items-center gap-3">
        <Switch label="Hide names" on={hidden} onChange={setHidden} describedBy={note} />
        <span aria-hidden>Hide names</span>
        <span id={note} className="text-ink-3 text-sm">
          Names of models, keys and sessions are left out of the picture.
        </span>
      </div>
      <DialogActions>
        <Button icon={Printer} onClick={() => window.print()}>
          Print or PDF
        </Button>
        <Button
          icon={Copy}
          onClick={() => attempt(copy(), 'The picture could not be copied here. Save it instead.')}
        >
          Copy picture
        </Button>
        <Button
          variant="primary"
          icon={Download}
          onClick={() => attempt(save(), 'The picture could not be drawn.')}
        >
          Save picture
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Pixels of the picture for each unit of its size. */
const SCALE = 2

async function drawPng(svg: SVGSVGElement): Promise<Blob> {
  const text = new XMLSerializer().serializeToString(svg)
  const image = new Image(WIDTH * SCALE, HEIGHT * SCALE)
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SCALE
  canvas.height = HEIGHT * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return await new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The canvas is empty.'))), 'image/png')
  })
}

// A picture of spend for colleagues: figures, a chart and what cost most, as an SVG with its own colors and the system's fonts,
// because it is drawn outside of the window too.

interface SharedRow {
  name: string
  value: string
  /** Its series in the chart; null for none. */
  series: number | null
}

export interface SharedPicture {
  title: string
  /** Whether the title is a name, which can be hidden. */
  isNamed: boolean
  period: string
  /** The first one is the largest. */
  figures: readonly { label: string; value: string }[]
  chart: SharedChart
  /** The heading of the rows. */
  rowsTitle: string
  rows: readonly SharedRow[]
}

type SharedChart = {
  /** The value at the top, as it is written. */
  top: string
  /** The names of the left and the right end. */
  ends: readonly [string, string]
} & (
  | {
      kind: 'bars'
      /** For each column the shares of its series, of the chart's height. */
      columns: readonly (readonly number[])[]
    }
  | {
      kind: 'line'
      /** The places of the corners from left to right, as shares of the chart's size from the bottom left. */
      points: readonly { x: number; y: number }[]
    }
)

const WIDTH = 1200
const HEIGHT = 675
const COLORS = ['#2f55cc', '#009c98', '#ce7d1f', '#c93a8a', '#2f9a54', '#7b8291']
const INK = '#191c23'
const GRAY = '#5b6270'
const LINE = '#e3e6eb'
const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
const PLOT = { left: 56, top: 290, width: 660, height: 260 }
const LIST = { left: 776, top: 290, width: 368 }
const MAX_ROWS = 7
const MAX_NAME = 30

interface PictureProps {
  picture: SharedPicture
  /** Names of models, keys and sessions are left out. */
  hidden: boolean
  ref?: Ref<SVGSVGElement>
}

function Picture({ picture, hidden, ref }: PictureProps) {
  const { title, isNamed, period, figures, chart, rowsTitle, rows } = picture
  const isCovered = hidden && isNamed
  return (
    <svg
      ref={ref}
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${isCovered ? 'Session' : title}, ${period}: ${figures.map(({ label, value }) => `${label} ${value}`).join(', ')}`}
      fontFamily={FONT}
      fill={INK}
      className="block w-full rounded-lg border border-line"
    >
      <rect width={WIDTH} height={HEIGHT} fill="#ffffff" />
      {isCovered ? (
        <rect x={56} y={46} width={420} height={34} rx={8} fill={LINE} />
      ) : (
        <text x={56} y={76} fontSize={34} fontWeight={650}>
          {shorten(title, 52)}
        </text>
      )}
      <text x={56} y={112} fontSize={21} fill={GRAY}>
        {period}
      </text>
      {figures.map(({ label, value }, index) => (
        <g key={label} transform={`translate(${56 + (index === 0 ? 0 : 90 + index * 250)} 0)`}>
          <text y={176} fontSize={18} fill={GRAY}>
            {label}
          </text>
          <text y={index === 0 ? 232 : 220} fontSize={index === 0 ? 56 : 34} fontWeight={650}>
            {value}
          </text>
        </g>
      ))}
      <Chart chart={chart} />
      <g transform={`translate(${LIST.left} ${LIST.top})`}>
        <text y={4} fontSize={18} fill={GRAY}>
          {rowsTitle}
        </text>
        {rows.slice(0, MAX_ROWS).map(({ name, value, series }, index) => (
          <g key={name} transform={`translate(0 ${44 + index * 35})`} fontSize={20}>
            {series === null ? null : <rect y={-14} width={14} height={14} rx={3} fill={getColor(series)} />}
            {hidden ? (
              <rect x={26} y={-15} width={120 + ((index * 47) % 90)} height={18} rx={5} fill={LINE} />
            ) : (
              <text x={series === null ? 0 : 26}>{shorten(name, MAX_NAME)}</text>
            )}
            <text x={LIST.width} textAnchor="end" fontWeight={600}>
              {value}
            </text>
          </g>
        ))}
      </g>
      <g transform={`translate(56 ${HEIGHT - 46})`} fontSize={18} fill={GRAY}>
        <rect y={-19} width={24} height={24} rx={5.5} fill={COLORS[0]} />
        <path d="M4 0h17M6 -3v-7M9 -8l10 -5.5" stroke="#ffffff" strokeWidth={2} strokeLinecap="round" />
        <text x={36}>Measured by Tollgate</text>
      </g>
    </svg>
  )
}

function Chart({ chart }: { chart: SharedChart }) {
  const { left, top, width, height } = PLOT
  const bottom = top + height
  return (
    <g fontSize={16} fill={GRAY}>
      <line x1={left} x2={left + width} y1={top + 0.5} y2={top + 0.5} stroke={LINE} />
      <line x1={left} x2={left + width} y1={bottom + 0.5} y2={bottom + 0.5} stroke="#c4c9d2" />
      <text x={left} y={top - 10}>
        {chart.top}
      </text>
      <text x={left} y={bottom + 26}>
        {chart.ends[0]}
      </text>
      <text x={left + width} y={bottom + 26} textAnchor="end">
        {chart.ends[1]}
      </text>
      {chart.kind === 'bars' ? <Columns columns={chart.columns} /> : <Line points={chart.points} />}
    </g>
  )
}

function Columns({ columns }: { columns: readonly (readonly number[])[] }) {
  const { left, top, width, height } = PLOT
  const slot = width / Math.max(1, columns.length)
  return columns.map((shares, column) => {
    let base = 0
    return shares.map((share, series) => {
      const y = top + height * (1 - base - share)
      base += share
      return share > 0 ? (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its place
          key={`${column} ${series}`}
          data-share={share}
          x={left + column * slot + slot * 0.13}
          y={y}
          width={Math.max(1, slot * 0.74)}
          height={height * share}
          fill={getColor(series)}
        />
      ) : null
    })
  })
}

function Line({ points }: { points: readonly { x: number; y: number }[] }) {
  const { left, top, width, height } = PLOT
  const place = ({ x, y }: { x: number; y: number }) =>
    `${(left + x * width).toFixed(1)},${(top + height * (1 - y)).toFixed(1)}`
  // Costs grow in steps: each when a request ends.
  const line = points
    .map((point, index) => {
      const before = points[index - 1]
      return before === undefined
        ? `M${place(point)}`
        : `L${place({ x: point.x, y: before.y })}L${place(point)}`
    })
    .join('')
  const last = points.at(-1)
  return (
    <>
      {last ? (
        <path
          d={`${line}L${place({ x: last.x, y: 0 })}L${place({ x: points[0]?.x ?? 0, y: 0 })}Z`}
          fill={COLORS[0]}
          opacity={0.12}
        />
      ) : null}
      <path d={line} fill="none" stroke={COLORS[0]} strokeWidth={3} strokeLinejoin="round" />
    </>
  )
}

function getColor(series: number): string {
  return COLORS[Math.min(series, COLORS.length - 1)] ?? GRAY
}

function shorten(name: string, max: number): string {
  const letters = [...name]
  return letters.length <= max ? name : `${letters.slice(0, max - 1).join('')}…`
}
