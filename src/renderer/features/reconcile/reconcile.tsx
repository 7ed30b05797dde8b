import { useState } from 'react'
import { useLocation } from 'wouter'
import { previewExport, type ReadOptions } from '../../data/reconciliations.ts'
import { FileDrop } from '../../kit/file-drop.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { Card, CardHeader, Page } from '../../kit/page.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { type OpenedFile, PreviewCard } from './preview-card.tsx'
import { ReportView } from './report.tsx'
import { ReportList } from './report-list.tsx'

/** A stored comparison, or without an id the place to make one, and the list of all. */
export function Reconcile({ id }: { id: string | null }) {
  return id === null ? <NewComparison /> : <ReportView key={id} id={id} />
}

function NewComparison() {
  const [, navigate] = useLocation()
  const [opened, setOpened] = useState<OpenedFile | null>(null)
  const { pending, error, submit } = useSubmit()
  const open = (file: File, options: ReadOptions) =>
    void submit(async () => setOpened({ file, options, preview: await previewExport(file, options) }))
  return (
    <Page
      title="Reconcile"
      subtitle="Compare what a provider says it billed with the request log."
      width="normal"
    >
      <div className="flex flex-col gap-6">
        <FileDrop
          label="Usage export"
          action="Choose file"
          accept=".csv,.tsv,.txt,.json,.jsonl,text/csv,application/json"
          pending={pending}
          onFile={(file) => {
            setOpened(null)
            open(file, { timeZone: undefined, mapping: undefined })
          }}
        >
          Drop a usage or cost export of a provider here, as CSV or JSON. It stays on this computer.
        </FileDrop>
        <InlineError error={error} />
        {opened ? (
          <PreviewCard
            opened={opened}
            reading={pending}
            onRead={(options) => open(opened.file, options)}
            onCancel={() => setOpened(null)}
            onCompared={(id) => navigate(`/usage/reconcile/${id}`)}
          />
        ) : null}
        <Card>
          <CardHeader title="Reports" />
          <ReportList />
        </Card>
      </div>
    </Page>
  )
}
