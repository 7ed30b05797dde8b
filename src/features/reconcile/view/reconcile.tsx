import { useQuery } from '@tanstack/react-query'
import { Download, Printer, Upload } from 'lucide-react'
import { useState } from 'react'
import { useProviderNames } from '../../../renderer/data/hooks.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { download } from '../../../renderer/kit/download.ts'
import { Field } from '../../../renderer/kit/field.tsx'
import { formatDate } from '../../../renderer/kit/format.ts'
import { InlineError } from '../../../renderer/kit/notice.tsx'
import { Page } from '../../../renderer/kit/page.tsx'
import { Select } from '../../../renderer/kit/select.tsx'
import { useLightPrint } from '../../../renderer/kit/theme.ts'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import type { Reconciliation } from '../api/reconciliations.ts'
import { compareExport, createReportCsv, forgetComparison, useComparison } from './comparison.ts'
import { Report } from './report.tsx'

/** A select has no option without a value. */
const VENDOR = '–'

/** The last comparison, which stays until another is made or the window closes, or the place to make one. */
export function Reconcile() {
  useLightPrint()
  const comparison = useComparison()
  return (
    <Page
      title="Reconcile"
      subtitle={
        comparison ? (
          <ReportTitle report={comparison.report} />
        ) : (
          'Compare what a provider says it billed with the request log.'
        )
      }
      width="normal"
      actions={
        comparison ? (
          <>
            <Button icon={Download} onClick={() => saveReport(comparison.report)}>
              Save as CSV
            </Button>
            <Button icon={Printer} onClick={() => window.print()}>
              Print
            </Button>
            <Button icon={Upload} onClick={() => void forgetComparison()}>
              Compare another file
            </Button>
          </>
        ) : null
      }
    >
      {comparison ? <Report {...comparison} /> : <NewComparison />}
    </Page>
  )
}

function saveReport(report: Reconciliation): void {
  const { provider, from, to } = report
  download(createReportCsv(report), `reconciliation-${provider}-${from}-${to}.csv`)
}

function ReportTitle({ report: { provider, from, to } }: { report: Reconciliation }) {
  const names = useProviderNames()
  return <>{`${names.get(provider) ?? provider}, ${formatDate(from, 'UTC')} to ${formatDate(to, 'UTC')}`}</>
}

function NewComparison() {
  const { data: providers = [] } = useQuery(queries.providers)
  const [provider, setProvider] = useState(VENDOR)
  const { pending, error, submit } = useSubmit()
  const configured = providers.filter((row) => row.configured && row.id !== 'sandbox')
  const compare = (file: File) =>
    void submit(() => compareExport(file, provider === VENDOR ? undefined : provider))
  return (
    <div className="flex flex-col gap-6">
      <Field label="Provider" className="w-60">
        {({ id }) => (
          <Select
            id={id}
            label="Provider"
            options={[
              { value: VENDOR, label: 'Detect from the file' },
              ...configured.map((row) => ({ value: row.id, label: row.name })),
            ]}
            value={provider}
            onChange={setProvider}
          />
        )}
      </Field>
      <FileField pending={pending} onFile={compare} />
      <InlineError error={error} />
    </div>
  )
}

/** The input covers the field, so that a file can also be dropped on it. */
function FileField({ pending, onFile }: { pending: boolean; onFile: (file: File) => void }) {
  return (
    <label className="relative flex flex-col items-center gap-3 rounded-lg border border-line-strong border-dashed bg-surface px-6 py-8 text-center focus-within:border-accent hover:border-accent">
      <Upload size={20} aria-hidden className="text-ink-3" />
      <span className="max-w-md text-balance text-ink-2">
        {pending
          ? 'Comparing…'
          : 'Choose a usage or cost export of OpenAI, Anthropic or OpenRouter, as CSV or JSON, or drop it here. It stays on this computer.'}
      </span>
      <input
        type="file"
        aria-label="Usage export"
        accept=".csv,.json,text/csv,application/json"
        disabled={pending}
        className="absolute inset-0 cursor-pointer opacity-0"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          // So that the same file can be chosen again.
          target.value = ''
          if (file) onFile(file)
        }}
      />
    </label>
  )
}
