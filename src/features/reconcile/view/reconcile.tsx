import { useQuery } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { queries } from '../../../renderer/data/queries.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { cn } from '../../../renderer/kit/cn.ts'
import { Field } from '../../../renderer/kit/field.tsx'
import { InlineError } from '../../../renderer/kit/notice.tsx'
import { Card, CardHeader, Page } from '../../../renderer/kit/page.tsx'
import { Select } from '../../../renderer/kit/select.tsx'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import { ReportView } from './report.tsx'
import { compareExport, ReportList } from './report-list.tsx'

/** A stored comparison, or without an id the place to make one, and the list of all. */
export function Reconcile({ id }: { id: string | null }) {
  return id === null ? <NewComparison /> : <ReportView key={id} id={id} />
}

/** A select has no option without a value. */
const VENDOR = '–'

function NewComparison() {
  const [, navigate] = useLocation()
  const { data: providers = [] } = useQuery(queries.providers)
  const [provider, setProvider] = useState(VENDOR)
  const { pending, error, submit } = useSubmit()
  const compare = (file: File) =>
    void submit(
      () => compareExport(file, provider === VENDOR ? undefined : provider),
      ({ id }) => navigate(`/usage/reconcile/${id}`),
    )
  return (
    <Page
      title="Reconcile"
      subtitle="Compare what a provider says it billed with the request log."
      width="normal"
    >
      <div className="flex flex-col gap-6">
        <Field label="Provider" className="w-60">
          {({ id }) => (
            <Select
              id={id}
              label="Provider"
              options={[
                { value: VENDOR, label: 'Detect from the file' },
                ...providers
                  .filter((each) => each.configured && each.id !== 'sandbox')
                  .map((each) => ({ value: each.id, label: each.name })),
              ]}
              value={provider}
              onChange={setProvider}
            />
          )}
        </Field>
        <FileDrop
          label="Usage export"
          action="Choose file"
          accept=".csv,.json,text/csv,application/json"
          pending={pending}
          onFile={compare}
        >
          Drop a usage or cost export of OpenAI, Anthropic or OpenRouter here, as CSV or JSON. It stays on
          this computer.
        </FileDrop>
        <InlineError error={error} />
        <Card>
          <CardHeader title="Reports" />
          <ReportList />
        </Card>
      </div>
    </Page>
  )
}

interface FileDropProps {
  /** The accessible name of the choice of a file, such as "Usage export". */
  label: string
  /** The text of the button. */
  action: string
  /** The file types, as in an input of type file. */
  accept: string
  pending?: boolean
  onFile: (file: File) => void
  children: ReactNode
}

/** A place for a file: it can be dropped here, or chosen with the button. */
function FileDrop({ label, action, accept, pending = false, onFile, children }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file && !pending) onFile(file)
  }
  const choose = ({ files }: HTMLInputElement) => {
    const file = files?.[0]
    if (file) onFile(file)
    // Reset, so that selecting the same file fires a change event.
    if (input.current) input.current.value = ''
  }
  return (
    <section
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cn(
        'flex flex-col items-center gap-3 rounded-lg border border-dashed px-6 py-8 text-center',
        over ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface',
      )}
    >
      <div className="max-w-md text-balance text-ink-2">{children}</div>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        hidden
        onChange={({ target }) => choose(target)}
      />
      <Button icon={Upload} pending={pending} onClick={() => input.current?.click()}>
        {action}
      </Button>
    </section>
  )
}
