import type { ExportMapping } from '../../../shared/api/reconciliations.ts'
import { Field } from '../../kit/field.tsx'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { Select } from '../../kit/select.tsx'

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
const NONE = '–'
const isSeveral = (field: Single | Several): field is Several => field === 'input' || field === 'output'

/** Which column of an unknown format has what. */
export function MappingFields({ columns, mapping, onChange }: MappingFieldsProps) {
  const current: ExportMapping = mapping ?? {
    ...{ each: 'request', time: columns[0] ?? '', model: null, id: null, requests: null },
    ...{ input: [], output: [], cost: null, costUnit: 'usd' },
  }
  const options = (field: Single | Several) => [
    ...(field === 'time' ? [] : [{ value: NONE, label: 'None' }]),
    ...columns.map((name) => ({ value: name, label: name })),
  ]
  const getColumn = (field: Single | Several) =>
    (isSeveral(field) ? current[field][0] : current[field]) ?? NONE
  const change = (field: Single | Several, value: string) => {
    const name = value === NONE ? null : value
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
