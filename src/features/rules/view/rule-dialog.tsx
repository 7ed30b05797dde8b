// The form of a rule, with its sentence and what it would have done.
import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { queries } from '../../../renderer/data/queries.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { SegmentedControl } from '../../../renderer/kit/controls.tsx'
import { Dialog, DialogActions } from '../../../renderer/kit/dialog.tsx'
import { Field, Input } from '../../../renderer/kit/field.tsx'
import { IconButton } from '../../../renderer/kit/icon-button.tsx'
import { ErrorText } from '../../../renderer/kit/notice.tsx'
import { Select } from '../../../renderer/kit/select.tsx'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import { type Action, isLone } from '../api/actions.ts'
import type { Condition } from '../api/conditions.ts'
import { describeRule, RuleInput } from '../api/rules.ts'
import { Rehearsed } from './rehearsal.tsx'
import { ACTION_FIELDS, CONDITION_FIELDS, type KeyName } from './rule-fields.tsx'
import { saveRule, useRuleNames } from './rules.ts'

interface RuleDialogProps {
  /** Null for a new rule. */
  id: string | null
  initial: RuleInput
  onClose: () => void
}

const STARTS = [
  { value: 'start', label: 'At the start' },
  { value: 'any', label: 'Any time' },
] as const
const START_HINTS = {
  start: 'Sessions and sub-agents that have begun keep their model and their prompt cache.',
  any: 'Also within a session. A change of the model writes its prompt to a cache again.',
}
const LONE_HINTS = {
  start: 'Not for sessions and sub-agents that have begun.',
  any: 'Also within a session that has begun.',
}

export function RuleDialog({ id, initial, onClose }: RuleDialogProps) {
  const [rule, setRule] = useState(initial)
  const { data: keys = [] } = useQuery(queries.keys)
  const { pending, error, submit } = useSubmit()
  const parsed = RuleInput.safeParse(rule)
  const names = useRuleNames()
  return (
    <Dialog open onClose={onClose} title={id === null ? 'Add rule' : 'Edit rule'} wide ignoreOutsideClick>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(() => saveRule(id, rule), onClose)
        }}
      >
        <Field label="Name" hint="Optional: without one, its sentence names it.">
          {(props) => (
            <Input
              {...props}
              value={rule.name ?? ''}
              onChange={({ target }) => setRule({ ...rule, name: target.value === '' ? null : target.value })}
            />
          )}
        </Field>
        <Parts<Condition>
          title="When all of these are so"
          empty="Every request."
          add="Add condition"
          fields={CONDITION_FIELDS}
          parts={rule.when}
          keys={keys}
          onChange={(when) => setRule({ ...rule, when })}
        />
        <Parts<Action>
          title="Do"
          empty="Nothing yet."
          add="Add action"
          fields={ACTION_FIELDS}
          parts={rule.do}
          isLone={isLone}
          keys={keys}
          onChange={(actions) => setRule({ ...rule, do: actions })}
        />
        <div className="flex flex-wrap items-center gap-3">
          <SegmentedControl
            label="When it acts"
            value={rule.at}
            options={STARTS}
            onChange={(at) => setRule({ ...rule, at })}
          />
          <span className="text-ink-3 text-sm">
            {(rule.do.some(isLone) ? LONE_HINTS : START_HINTS)[rule.at]}
          </span>
        </div>
        <DialogActions
          above={
            <div className="flex flex-col gap-1 rounded-md bg-sunken px-3 py-2">
              <p className="font-medium">
                {parsed.success
                  ? describeRule(parsed.data, names)
                  : 'Choose what it does, and fill in each field.'}
              </p>
              <Rehearsed trial={parsed.success ? { id, rule: parsed.data } : null} onDone={onClose} />
              <ErrorText error={error} />
            </div>
          }
        >
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending} disabled={!parsed.success}>
            {id === null ? 'Add, turned off' : 'Save'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface FieldsRow<Part> {
  label: string
  create(keyIds: readonly string[]): Part
  // A method, not a property: each kind renders only its own parts.
  render(part: Part, onChange: (part: Part) => void, keys: readonly KeyName[]): React.ReactNode
}

interface PartsProps<Part extends { kind: string }> {
  title: string
  empty: string
  add: string
  fields: { readonly [K in Part['kind']]: FieldsRow<Part> }
  parts: readonly Part[]
  /** Whether a part cannot be one of several. */
  isLone?: (part: Pick<Part, 'kind'>) => boolean
  keys: readonly KeyName[]
  onChange: (parts: Part[]) => void
}

function Parts<Part extends { kind: string }>({
  title,
  empty,
  add,
  fields,
  parts,
  isLone: isAlone = () => false,
  keys,
  onChange,
}: PartsProps<Part>) {
  const kinds = Object.keys(fields) as Part['kind'][]
  const free = kinds.filter((kind) => parts.every((part) => part.kind !== kind))
  /** The kinds that a part among so many can have, if it does not keep its own. */
  const listFree = (count: number) => free.filter((kind) => count === 1 || !isAlone({ kind }))
  const [next] = parts.some(isAlone) ? [] : listFree(parts.length + 1)
  const create = (kind: Part['kind']) => fields[kind].create(keys.map(({ id }) => id))
  const replace = (at: number, part: Part) => onChange(parts.with(at, part))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{title}</legend>
      {parts.length === 0 ? <p className="text-ink-3 text-sm">{empty}</p> : null}
      {parts.map((part, at) => {
        const kind = part.kind as Part['kind']
        return (
          <div key={kind} className="flex flex-wrap items-center gap-2">
            <Select
              label={`Kind of ${fields[kind].label}`}
              value={kind}
              options={[kind, ...listFree(parts.length)].map((value) => ({
                value,
                label: fields[value].label,
              }))}
              onChange={(chosen) => replace(at, create(chosen))}
              className="w-44"
            />
            {fields[kind].render(part, (changed) => replace(at, changed), keys)}
            <IconButton
              small
              icon={X}
              label={`Remove ${fields[kind].label}`}
              className="ml-auto"
              onClick={() => onChange(parts.filter((other) => other !== part))}
            />
          </div>
        )
      })}
      {next === undefined ? null : (
        <Button small icon={Plus} className="self-start" onClick={() => onChange([...parts, create(next)])}>
          {add}
        </Button>
      )}
    </fieldset>
  )
}
