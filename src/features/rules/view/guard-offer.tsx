import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Switch } from '../../../renderer/kit/controls.tsx'
import { ErrorText } from '../../../renderer/kit/notice.tsx'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import { PRESETS } from '../api/presets.ts'
import { rulesQuery, saveRule, setMode } from './rules.ts'

const guard = PRESETS.find(({ id }) => id === 'guard-premium')

/** Offers a new user the rule that removes premium tiers. It is off until they turn it on. */
export function GuardOffer() {
  const textId = useId()
  const { data: rules } = useQuery(rulesQuery)
  const { pending, error, submit } = useSubmit()
  if (!rules || !guard) return null
  const { name, text, create } = guard
  const rule = rules.find((each) => each.name === name)
  const turn = (on: boolean) =>
    rule ? setMode(rule, on ? 'on' : 'off') : saveRule(null, { ...create(''), mode: on ? 'on' : 'off' })
  return (
    <div className="flex items-center justify-between gap-4 border-line border-t px-5 py-4">
      <div>
        <h3 className="font-medium">{name}</h3>
        <p id={textId} className="text-ink-2">
          {text} This rule removes them from requests; Settings → Rules has more.
        </p>
        <ErrorText error={error} />
      </div>
      <Switch
        label={name}
        describedBy={textId}
        on={rule?.mode === 'on'}
        disabled={pending}
        onChange={(on) => void submit(() => turn(on))}
      />
    </div>
  )
}
