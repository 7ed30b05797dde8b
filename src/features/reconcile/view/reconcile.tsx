import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { queries } from '../../../renderer/data/queries.ts'
import { Field } from '../../../renderer/kit/field.tsx'
import { InlineError } from '../../../renderer/kit/notice.tsx'
import { Card, CardHeader, Page } from '../../../renderer/kit/page.tsx'
import { Select } from '../../../renderer/kit/select.tsx'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import { FileDrop } from './file-drop.tsx'
import { compareExport } from './reconciliations.ts'
import { ReportView } from './report.tsx'
import { ReportList } from './report-list.tsx'

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
