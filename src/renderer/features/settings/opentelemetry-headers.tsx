import { type FormEvent, useState } from 'react'
import { parseHeaderLines } from '../../../shared/api/telemetry-headers.ts'
import { updateTelemetry } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Field, TextArea } from '../../kit/field.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

interface OpenTelemetryHeadersProps {
  /** The stored names. */
  names: readonly string[]
  onClose: () => void
}

/** Replaces the headers. Stored values are not shown: the gateway does not return them. */
export function OpenTelemetryHeaders({ names, onClose }: OpenTelemetryHeadersProps) {
  const [text, setText] = useState('')
  const [invalid, setInvalid] = useState<string | null>(null)
  const { pending, error, submit } = useSubmit()
  const save = (event: FormEvent) => {
    event.preventDefault()
    const headers = parseHeaderLines(text)
    if (typeof headers === 'string') return setInvalid(headers)
    void submit(() => updateTelemetry({ headers }), onClose)
  }
  const remove = () => void submit(() => updateTelemetry({ headers: {} }), onClose)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Headers for the collector"
      description="Stored in the keychain, and sent to this endpoint only."
      ignoreOutsideClick
    >
      <form onSubmit={save} className="flex flex-col gap-3">
        <Field
          label="Headers"
          hint="One per line. They replace the stored ones."
          error={invalid ?? error?.message ?? null}
        >
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={4}
              spellCheck={false}
              autoComplete="off"
              className="font-mono text-sm"
              placeholder="Authorization: Bearer …"
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                setInvalid(null)
              }}
            />
          )}
        </Field>
        <DialogActions>
          {names.length > 0 ? (
            <Button disabled={pending} onClick={remove}>
              Remove all headers
            </Button>
          ) : null}
          <Button type="submit" variant="primary" pending={pending} disabled={text.trim() === ''}>
            Save headers
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
