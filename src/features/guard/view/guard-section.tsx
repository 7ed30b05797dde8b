import { updateSettings } from '../../../renderer/data/mutations.ts'
import { ChoiceRow, SwitchRow, section } from '../../../renderer/parts/settings/section.tsx'
import type { GuardSensitivity } from '../../../shared/api/account.ts'

/** The thresholds at which a key is paused. The figures are those of `gateway/runaway-guard.ts`. */
const SENSITIVITY_TEXTS: Readonly<Record<GuardSensitivity, string>> = {
  low: 'Pauses a key that spends $20 a minute and 15 times as much as usual, $30 a minute with a new key, or $10 on one prompt sent 100 times.',
  standard:
    'Pauses a key that spends $5 a minute and 8 times as much as usual, $8 a minute with a new key, or $2 on one prompt sent 30 times. An agent that spends $3 a minute on different prompts is never paused.',
  high: 'Pauses a key that spends $1.50 a minute and 4 times as much as usual, $3 a minute with a new key, or $0.50 on one prompt sent 12 times. Hard-working agents may be paused, too.',
}

export const guardSection = section('Runaway guard', ({ settings }) => settings?.guard, [
  {
    name: 'Pause runaway keys',
    keywords: 'loop agent stop pause detect repeat retry',
    render: (guard) => (
      <SwitchRow
        text="Pauses a key that suddenly spends far more than usual, repeats one prompt again and again, or keeps sending although it is refused, and says why. You can turn it off for a key under Keys."
        on={guard.enabled}
        save={(enabled) => updateSettings({ guard: { ...guard, enabled } })}
      />
    ),
  },
  {
    name: 'Sensitivity',
    keywords: 'loop low standard high threshold',
    render: (guard) => (
      <ChoiceRow<GuardSensitivity>
        inLine
        text={SENSITIVITY_TEXTS[guard.sensitivity]}
        value={guard.sensitivity}
        options={[
          { value: 'low', label: 'Low' },
          { value: 'standard', label: 'Standard' },
          { value: 'high', label: 'High' },
        ]}
        message={(sensitivity) => `Sensitivity is ${sensitivity}.`}
        save={(sensitivity) => updateSettings({ guard: { ...guard, sensitivity } })}
      />
    ),
  },
])
