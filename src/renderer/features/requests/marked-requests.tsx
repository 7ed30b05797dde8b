import { GitCompareArrows } from 'lucide-react'
import { t } from 'ttag'
import { useLocation } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { Button } from '../../kit/button.tsx'
import { MarkedBar } from '../../kit/marked-bar.tsx'
import { compareHref, isComparable } from './compare-actions.tsx'
import { createExportWriter } from './export-form.tsx'

interface MarkedRequestsProps {
  /** Those of the list that are marked. */
  records: readonly RequestRecord[]
  onClear: () => void
}

/** The bar of the marked requests, two of which can be compared. */
export function MarkedRequests({ records, onClear }: MarkedRequestsProps) {
  const [, navigate] = useLocation()
  const [first, second] = records
  return (
    <MarkedBar
      rows={records}
      csv={{ create: createCsv, fileName: 'tollgate-requests.csv' }}
      onClear={onClear}
    >
      {first && second && records.length === 2 && records.every(isComparable) ? (
        <Button
          small
          icon={GitCompareArrows}
          onClick={() => navigate(compareHref(first, second))}
        >{t`Compare`}</Button>
      ) : null}
    </MarkedBar>
  )
}

/** A file with all columns of an export. */
function createCsv(records: readonly RequestRecord[]): Blob {
  const { type, head, between, tail, write } = createExportWriter({ format: 'csv', columns: null })
  return new Blob([head, records.map(write).join(between), tail], { type })
}
