import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { ExportMapping, ExportPreview } from '../../../shared/api/reconciliations.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { compareExport, type ReadOptions } from '../../data/reconciliations.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { DataTable } from '../../kit/data-table.tsx'
import { Field } from '../../kit/field.tsx'
import { formatCount, formatDate } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { Card, CardHeader } from '../../kit/page.tsx'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { Select } from '../../kit/select.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

export interface OpenedFile {
  file: File
  preview: ExportPreview
  options: ReadOptions
}

interface PreviewCardProps {
  opened: OpenedFile
  /** The file is read again. */
  reading: boolean
  onRead: (options: ReadOptions) => void
  onCancel: () => void
  onCompared: (id: string) => void
}

/** The kind and content of a file, before it is compared. */
export function PreviewCard({ opened, reading, onRead, onCancel, onCompared }: PreviewCardProps) {
  const { file, preview, options } = opened
  const { data: providers = [] } = useQuery(queries.providers)
  const configured = providers.filter((provider) => provider.configured && provider.id !== 'sandbox')
  const { data: models = [] } = useQuery(queries.models)
  const likely = preview.vendor ?? guessProvider(preview, models)
  const guessed =
    configured.find(({ id }) => id === likely) ?? (configured.length === 1 ? configured[0] : undefined)
  const [chosen, setChosen] = useState<string | null>(null)
  const provider = chosen ?? guessed?.id ?? ''
  const zone = useTimeZone()
  const { pending, error, submit } = useSubmit()
  const isReady = provider !== '' && preview.mapping !== null && preview.problem === null && !reading
  const compare = () =>
    void submit(
      () => compareExport(file, provider, options),
      ({ id }) => onCompared(id),
    )
  const zones = [...new Set([preview.timeZone, 'UTC', ...(zone ? [zone] : []), 'America/Los_Angeles'])]
  return (
    <Card>
      <CardHeader title={file.name}>{preview.formatName}</CardHeader>
      <div className="flex flex-col gap-4 px-4 pt-1 pb-4">
        <p className="text-ink-2">
          {formatCount(preview.rows)} {preview.rows === 1 ? 'row' : 'rows'}
          {preview.from === null || preview.to === null
            ? ''
            : `, ${formatDate(preview.from, 'UTC')} to ${formatDate(preview.to, 'UTC')}`}
          {preview.mapping === null
            ? ''
            : preview.mapping.each === 'request'
              ? ', a row for each request'
              : ', sums of periods'}
          .
        </p>
        <div className="flex flex-wrap gap-4">
          <Field
            label="Provider"
            className="w-60"
            hint={provider === '' ? missingHint(configured.length) : undefined}
          >
            {({ id, 'aria-describedby': note }) => (
              <Select
                id={id}
                aria-describedby={note}
                label="Provider"
                options={[
                  ...(provider === '' ? [{ value: '', label: 'Choose a provider' }] : []),
                  ...configured.map((each) => ({ value: each.id, label: each.name })),
                ].map(nonBlank)}
                value={provider || NONE}
                onChange={(value) => setChosen(value === NONE ? null : value)}
              />
            )}
          </Field>
          <Field label="Days and times without a zone" className="w-60">
            {({ id }) => (
              <Select
                id={id}
                label="Days and times without a zone"
                options={zones.map((each) => ({ value: each, label: each }))}
                value={preview.timeZone}
                onChange={(timeZone) => onRead({ ...options, timeZone })}
              />
            )}
          </Field>
        </div>
        {preview.format === null ? (
          <MappingFields
            columns={preview.columns}
            mapping={preview.mapping}
            onChange={(mapping) => onRead({ ...options, mapping })}
          />
        ) : null}
        <InlineError error={preview.problem} />
        {preview.notes.length > 0 ? (
          <ul className="text-ink-3 text-sm">
            {preview.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        ) : null}
        <SampleTable columns={preview.columns} rows={preview.sample} mapping={preview.mapping} />
        <InlineError error={error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant="primary" disabled={!isReady} pending={pending} onClick={compare}>
            Compare
          </Button>
        </div>
      </div>
    </Card>
  )
}

function missingHint(providers: number): string {
  return providers === 0 ? 'Add the provider first.' : 'Choose the provider that this export is from.'
}

/** The provider of most of the models in the first rows; undefined if none is known. */
function guessProvider(
  { columns, sample, mapping }: ExportPreview,
  models: readonly ModelRecord[],
): string | undefined {
  const column = mapping?.model == null ? -1 : columns.indexOf(mapping.model)
  const votes = new Map<string, number>()
  for (const row of sample) {
    const provider = models.find(({ id }) => isNameFor(row[column] ?? '', id))?.provider
    if (provider !== undefined) votes.set(provider, (votes.get(provider) ?? 0) + 1)
  }
  return [...votes].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

/** Exports name the version of a model too: "gpt-5.5-2026-04-01". */
function isNameFor(exported: string, id: string): boolean {
  const name = id.slice(id.lastIndexOf('/') + 1)
  return (
    exported === id ||
    exported === name ||
    (/^-\d/.test(exported.slice(name.length)) && exported.startsWith(name))
  )
}

/** A select has no option without a value. */
const NONE = '–'
const nonBlank = ({ value, label }: { value: string; label: string }) => ({ value: value || NONE, label })

interface SampleTableProps {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
  mapping: ExportMapping | null
}

interface SampleRow {
  id: string
  cells: readonly string[]
}

/** The first rows of the file. Columns that are used come first. */
function SampleTable({ columns, rows, mapping }: SampleTableProps) {
  const used = mapping
    ? [mapping.time, mapping.model, mapping.requests, ...mapping.input, ...mapping.output, mapping.cost]
    : []
  const numbers = new Set(mapping ? used.slice(2) : [])
  const order = columns
    .map((name, index) => ({ name, index, at: used.indexOf(name), isNumber: numbers.has(name) }))
    .sort((a, b) => rank(a.at) - rank(b.at) || a.index - b.index)
  return (
    <section
      aria-label="First rows of the file"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
      tabIndex={0}
      className="overflow-x-auto rounded-md border border-line"
    >
      <DataTable<SampleRow, string>
        look="sample"
        columns={order.map(({ name, index, at, isNumber }) => ({
          id: String(index),
          head: name,
          right: isNumber,
          headClass: cn('whitespace-nowrap', at < 0 ? 'text-ink-3' : 'text-ink'),
          cellClass: cn('max-w-60 truncate', at < 0 && 'text-ink-3'),
          title: ({ cells }) => cells[index],
          cell: ({ cells }) => (isNumber ? groupDigits(cells[index] ?? '') : cells[index]),
        }))}
        // Rows have no identity other than their position.
        rows={rows.map((cells, index) => ({ id: String(index), cells }))}
        getId={({ id }) => id}
      />
    </section>
  )
}

/** "50,000" for "50000", with all the decimals of the file. What is not a number stays as it is. */
function groupDigits(text: string): string {
  const [, whole, rest] = /^(-?\d+)(\.\d+)?$/.exec(text) ?? []
  return whole === undefined ? text : `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest ?? ''}`
}

function rank(at: number): number {
  return at < 0 ? Number.MAX_SAFE_INTEGER : at
}

interface MappingFieldsProps {
  columns: readonly string[]
  /** Null: nothing could be guessed. */
  mapping: ExportMapping | null
  onChange: (mapping: ExportMapping) => void
}

type Single = 'time' | 'model' | 'requests' | 'cost'
type Several = 'input' | 'output'

const FIELDS: readonly [Single | Several, string][] = [
  ['time', 'Time or day'],
  ['model', 'Model'],
  ['input', 'Input tokens'],
  ['output', 'Output tokens'],
  ['cost', 'Cost'],
  ['requests', 'Number of requests'],
]
const NO_COLUMN = '–'
const isSeveral = (field: Single | Several): field is Several => field === 'input' || field === 'output'

/** Which column of an unknown format has what. */
function MappingFields({ columns, mapping, onChange }: MappingFieldsProps) {
  const current: ExportMapping = mapping ?? {
    ...{ each: 'request', time: columns[0] ?? '', model: null, id: null, requests: null },
    ...{ input: [], output: [], cost: null, costUnit: 'usd' },
  }
  const options = (field: Single | Several) => [
    ...(field === 'time' ? [] : [{ value: NO_COLUMN, label: 'None' }]),
    ...columns.map((name) => ({ value: name, label: name })),
  ]
  const getColumn = (field: Single | Several) =>
    (isSeveral(field) ? current[field][0] : current[field]) ?? NO_COLUMN
  const change = (field: Single | Several, value: string) => {
    const name = value === NO_COLUMN ? null : value
    if (isSeveral(field)) onChange({ ...current, [field]: name === null ? [] : [name] })
    else if (field !== 'time' || name !== null) onChange({ ...current, [field]: name })
  }
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">Which column has what</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3">
        {FIELDS.map(([field, label]) => (
          <Field key={field} label={label}>
            {({ id }) => (
              <Select
                id={id}
                label={label}
                options={options(field)}
                value={getColumn(field)}
                onChange={(value) => change(field, value)}
              />
            )}
          </Field>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <span className="flex items-center gap-2">
          <span className="text-ink-2">A row is</span>
          <SegmentedControl
            label="A row is"
            options={[
              { value: 'request', label: 'A request' },
              { value: 'period', label: 'Total for a period' },
            ]}
            value={current.each}
            onChange={(each) => onChange({ ...current, each })}
          />
        </span>
        <span className="flex items-center gap-2">
          <span className="text-ink-2">Costs are in</span>
          <SegmentedControl
            label="Costs are in"
            options={[
              { value: 'usd', label: 'Dollars' },
              { value: 'cents', label: 'Cents' },
            ]}
            value={current.costUnit}
            onChange={(costUnit) => onChange({ ...current, costUnit })}
          />
        </span>
      </div>
    </fieldset>
  )
}
