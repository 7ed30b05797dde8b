import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { queries } from '../../data/queries.ts'
import { Field, Input, TextField } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'
import type { ModelForm, ModelFormErrors } from './model-form.ts'

interface TargetFieldsProps {
  model: ModelRecord | null
  form: ModelForm
  errors: ModelFormErrors
  onChange: (form: ModelForm) => void
}

const ANY = ' any '

export function TargetFields({ model, form, errors, onChange }: TargetFieldsProps) {
  const { data: providers = [] } = useQuery(queries.providers)
  const { data: models = [] } = useQuery(queries.models)
  const configured = providers.filter((provider) => provider.configured)
  const listId = useId()
  const offered = model === null ? configured : configured.filter(({ id }) => isOffered(model, form, id))
  const atProvider = models.filter(({ providers }) => providers.includes(form.provider))
  const isAlias = model === null || form.upstreamModel !== ''
  if (model !== null && !isAlias && offered.length < 2) return null
  return (
    <div className="grid grid-cols-2 gap-3">
      {model === null ? (
        <TextField
          label="Alias"
          mono
          autoFocus
          value={form.id}
          placeholder="fast"
          hint="The name that your tools use."
          error={errors.id}
          onChange={(id) => onChange({ ...form, id })}
          className="col-span-2"
        />
      ) : null}
      <Field label="Provider" error={errors.provider}>
        {({ id }) => (
          <Select
            id={id}
            label="Choose a provider"
            value={form.provider === '' && !isAlias ? ANY : form.provider}
            options={[
              ...(isAlias ? [] : [{ value: ANY, label: 'All providers of this model' }]),
              ...offered.map((provider) => ({ value: provider.id, label: provider.name })),
            ]}
            onChange={(provider) => onChange({ ...form, provider: provider === ANY ? '' : provider })}
          />
        )}
      </Field>
      {isAlias ? (
        <Field label="Provider’s model ID" error={errors.upstreamModel}>
          {(tie) => (
            <>
              <Input
                {...tie}
                list={listId}
                value={form.upstreamModel}
                onChange={(event) => onChange({ ...form, upstreamModel: event.target.value })}
                className="font-mono text-sm"
              />
              <datalist id={listId}>
                {atProvider.map(({ id }) => (
                  <option key={id} value={id} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      ) : null}
    </div>
  )
}

/** A model with a pinned provider lists only that one, which must remain an option. */
function isOffered(model: ModelRecord, form: ModelForm, providerId: string): boolean {
  return form.upstreamModel !== '' || model.providers.includes(providerId) || form.provider === providerId
}
