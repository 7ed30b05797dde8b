// Settings → Rules.
import { useQuery } from '@tanstack/react-query'
import { ArrowUp, History, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../../renderer/kit/button.tsx'
import { SegmentedControl } from '../../../renderer/kit/controls.tsx'
import { IconButton } from '../../../renderer/kit/icon-button.tsx'
import { ErrorText, QueryState } from '../../../renderer/kit/notice.tsx'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import { Row, section } from '../../../renderer/parts/settings/section.tsx'
import { PRESETS } from '../api/presets.ts'
import type { Rule, RuleInput } from '../api/rules.ts'
import { describeSums } from '../api/texts.ts'
import { RehearsalDialog } from './rehearsal.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { moveRule, removeRule, rulesQuery, setMode, toInput } from './rules.ts'

export const ruleSections = [
  section('Rules', ({ settings }) => settings, [
    {
      name: 'Your rules',
      keywords:
        'step down cheaper model ask permission effort thinking premium tier fast speed context guard deny limit sub-agent',
      render: () => <RulesRow />,
    },
  ]),
]

const EMPTY: RuleInput = { name: null, when: [], do: [], at: 'start', mode: 'off' }

interface Edited {
  /** Null for a new rule. */
  id: string | null
  initial: RuleInput
}

function RulesRow() {
  const rules = useQuery(rulesQuery)
  const [edited, setEdited] = useState<Edited | null>(null)
  const add = (initial: RuleInput) => setEdited({ id: null, initial })
  return (
    <Row
      text={
        <>
          A cap stops work. A rule makes it cheaper instead: the first one that holds serves another model,
          lowers the effort, removes what multiplies the price, or asks you first.{' '}
          <Link href="/help/rules" className="text-accent-ink hover:underline">
            How rules work
          </Link>
        </>
      }
      below={
        <>
          {rules.data ? (
            <RuleList
              rules={rules.data}
              onEdit={(rule) => setEdited({ id: rule.id, initial: toInput(rule) })}
            />
          ) : (
            <QueryState query={rules} rows={2} />
          )}
          {rules.data ? <Ready rules={rules.data} onAdd={add} /> : null}
          {edited ? <RuleDialog {...edited} onClose={() => setEdited(null)} /> : null}
        </>
      }
    >
      <Button icon={Plus} onClick={() => add(EMPTY)}>
        Add rule
      </Button>
    </Row>
  )
}

function RuleList({ rules, onEdit }: { rules: readonly Rule[]; onEdit: (rule: Rule) => void }) {
  if (rules.length === 0) return null
  return (
    <ol aria-label="Rules" className="mt-3 divide-y divide-line rounded-md border border-line">
      {rules.map((rule, position) => (
        <RuleItem key={rule.id} rule={rule} position={position} onEdit={() => onEdit(rule)} />
      ))}
    </ol>
  )
}

const MODES = [
  { value: 'off', label: 'Off' },
  { value: 'shadow', label: 'Try' },
  { value: 'on', label: 'On' },
] as const

function RuleItem({ rule, position, onEdit }: { rule: Rule; position: number; onEdit: () => void }) {
  const { pending, error, submit } = useSubmit()
  const [isRehearsed, setRehearsed] = useState(false)
  const sums = describeSums(rule)
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-3 py-2.5">
      <div className="min-w-52 flex-1">
        {rule.name === null ? null : <h4 className="font-medium">{rule.name}</h4>}
        <p className={rule.mode === 'off' ? 'text-ink-3' : 'text-ink-2'}>{rule.sentence}</p>
        {sums === null ? null : <p className="text-ink-3 text-sm">{sums}</p>}
        <ErrorText error={error} />
      </div>
      <div className="flex items-center gap-1">
        <SegmentedControl
          label={`Mode of “${rule.name ?? rule.sentence}”`}
          value={rule.mode}
          options={MODES}
          onChange={(mode) => void submit(() => setMode(rule, mode))}
        />
        <IconButton
          small
          icon={ArrowUp}
          label="Try it before the one above"
          disabled={pending || position === 0}
          onClick={() => void submit(() => moveRule(rule, position - 1))}
        />
        <IconButton
          small
          icon={History}
          label="Try it on the last 30 days"
          onClick={() => setRehearsed(true)}
        />
        <IconButton small icon={Pencil} label="Edit" disabled={pending} onClick={onEdit} />
        <IconButton
          small
          icon={Trash2}
          label="Delete"
          disabled={pending}
          onClick={() => void submit(() => removeRule(rule, position))}
        />
      </div>
      {isRehearsed ? (
        <RehearsalDialog trial={{ id: rule.id, rule: toInput(rule) }} onClose={() => setRehearsed(false)} />
      ) : null}
    </li>
  )
}

/** Ready rules that are not there yet. They open the form, which tries them first. */
function Ready({ rules, onAdd }: { rules: readonly Rule[]; onAdd: (rule: RuleInput) => void }) {
  const missing = PRESETS.filter(({ name }) => rules.every((rule) => rule.name !== name))
  if (missing.length === 0) return null
  return (
    <ul aria-label="Ready rules" className="mt-3 flex flex-col gap-2">
      {missing.map(({ id, name, text, create }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <div className="min-w-52 flex-1">
            <p>{name}</p>
            <p className="text-ink-3 text-sm">{text}</p>
          </div>
          <Button small icon={Plus} aria-label={`Add “${name}”`} onClick={() => onAdd(create(''))}>
            Add
          </Button>
        </li>
      ))}
    </ul>
  )
}
