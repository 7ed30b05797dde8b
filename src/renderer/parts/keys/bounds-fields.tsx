import { X } from 'lucide-react'
import { useId } from 'react'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { SpendLimitState } from '../../../shared/api/spend-limits.ts'
import { useEnabledModels } from '../../data/hooks.ts'
import { Field, TextField } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { LimitRows } from '../limits/limit-list.tsx'
import { describeModels, matchingModels } from '../limits/matching-models.ts'
import { ModelPatternPicker } from '../limits/model-pattern-picker.tsx'
import { EndDateField } from './end-date-field.tsx'
import type { KeyBounds } from './key-bounds.ts'

interface BoundsFieldsProps {
  value: KeyBounds
  onChange: (value: KeyBounds) => void
}

interface SpendLimitFieldsProps extends BoundsFieldsProps {
  /** The spend under the saved limits. */
  saved: readonly SpendLimitState[]
  /** Shows what is missing, also before it was typed. */
  showMissing: boolean
  /** The key on whose past they are tried; none for a new key. */
  record?: KeyMetadata
}

/** The limits of a key in addition to its lifetime cap. */
export function SpendLimitFields({ value, onChange, saved, showMissing, record }: SpendLimitFieldsProps) {
  const headingId = useId()
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-2">
      <h3 id={headingId} className="font-medium text-ink-2 text-sm">
        Limits
      </h3>
      {value.limits.length === 0 ? (
        <p className="text-ink-3 text-sm">For a day, a week, a month or a session, of all or some models.</p>
      ) : null}
      <LimitRows
        drafts={value.limits}
        onChange={(limits) => onChange({ ...value, limits })}
        saved={saved}
        showMissing={showMissing}
        {...(record ? { rehearsed: { keyId: record.id, who: record.name } } : {})}
      />
    </section>
  )
}

/** Which requests the key may make, and until when. */
export function BoundsFields({ value, onChange }: BoundsFieldsProps) {
  const { tag, allowedModels, expiresAt } = value
  const models = useEnabledModels()
  const allowed = matchingModels(models, allowedModels)
  return (
    <>
      <TextField
        label="Project"
        value={tag}
        onChange={(text) => onChange({ ...value, tag: text })}
        maxLength={100}
        placeholder="None"
        hint="All its requests are counted under this name, even if they name another project."
      />
      <EndDateField value={expiresAt} onChange={(next) => onChange({ ...value, expiresAt: next })} />
      <Field
        label="Allowed models"
        className="sm:col-span-2"
        hint={
          allowedModels.length === 0
            ? 'Choose models, or type a pattern such as claude-*, to refuse all others.'
            : `Allows ${describeModels(allowed)}. All others are refused.`
        }
      >
        {({ id }) => (
          <>
            <ModelPatternPicker
              id={id}
              label="Allowed models"
              chosen={allowedModels}
              onChange={(next) => onChange({ ...value, allowedModels: next })}
            />
            {allowedModels.length < 2 ? null : (
              <ul className="flex flex-wrap gap-1.5 pt-1">
                {allowedModels.map((model) => (
                  <li
                    key={model}
                    className="flex h-7 max-w-full items-center rounded-md bg-sunken pl-2 font-mono text-sm"
                  >
                    <span className="truncate">{model}</span>
                    {model.includes('*') ? (
                      <span className="shrink-0 pl-2 font-sans text-ink-3">
                        {matchingModels(models, [model]).length}
                        <span className="sr-only"> models</span>
                      </span>
                    ) : null}
                    <IconButton
                      small
                      label={`Remove ${model}`}
                      icon={X}
                      onClick={() =>
                        onChange({ ...value, allowedModels: allowedModels.filter((one) => one !== model) })
                      }
                    />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Field>
    </>
  )
}
