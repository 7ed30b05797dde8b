import type { GuardSensitivity, Settings } from '../../../shared/api/account.ts'
import { updateSettings } from '../../data/mutations.ts'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { Row, Section, SwitchRow } from './section.tsx'

const SENSITIVITIES = [
  { value: 'low', label: 'Low' },
  { value: 'standard', label: 'Standard' },
  { value: 'high', label: 'High' },
] as const satisfies { value: GuardSensitivity; label: string }[]

/** The thresholds at which a key is paused. The figures are those of `gateway/spend/guard/runaway-guard.ts`. */
const MEANING: Readonly<Record<GuardSensitivity, string>> = {
  low: 'Pauses a key that spends $20 a minute and 15 times as much as usual, $30 a minute with a new key, or $10 on one prompt sent 100 times.',
  standard:
    'Pauses a key that spends $5 a minute and 8 times as much as usual, $8 a minute with a new key, or $2 on one prompt sent 30 times. An agent that spends $3 a minute on different prompts is never paused.',
  high: 'Pauses a key that spends $1.50 a minute and 4 times as much as usual, $3 a minute with a new key, or $0.50 on one prompt sent 12 times. Hard-working agents may be paused, too.',
}

export function GuardSection({ settings: { guard } }: { settings: Settings }) {
  const { error, submit } = useSubmit()
  const { sensitivity } = guard
  const choose = (next: GuardSensitivity) =>
    submit(() =>
      saveWithUndo({
        message: `Sensitivity is ${next}.`,
        save: () => updateSettings({ guard: { ...guard, sensitivity: next } }),
        undo: () => updateSettings({ guard }),
      }),
    )
  return (
    <Section title="Runaway guard">
      <SwitchRow
        title="Pause runaway keys"
        text="Pauses a key that suddenly spends far more than usual, repeats one prompt again and again, or keeps sending although it is refused, and says why. You can turn it off for a key under Keys."
        on={guard.enabled}
        save={(enabled) => updateSettings({ guard: { ...guard, enabled } })}
      />
      <Row title="Sensitivity" text={MEANING[sensitivity]} error={error}>
        <SegmentedControl
          label="Sensitivity"
          options={SENSITIVITIES}
          value={sensitivity}
          onChange={(next) => void choose(next)}
        />
      </Row>
    </Section>
  )
}
