import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LICENSES_FILE } from '../../../shared/desktop/license-file.ts'
import { readLicenses, type ShippedPackage } from '../../../shared/desktop/read-licenses.ts'
import { query } from '../../data/query-client.ts'
import { InlineError, SkeletonRows } from '../../kit/notice.tsx'
import { SearchField } from '../../kit/search-field.tsx'

/** Null without the file, which the build writes. */
const licenses = query(['licenses'], async () => {
  const response = await fetch(`/${LICENSES_FILE}`)
  return response.ok ? readLicenses(await response.text()) : null
})

const NO_FILE = `The file ${LICENSES_FILE} is missing: only a built window has it.`

export function LicenseList() {
  const { data: packages, error } = useQuery(licenses)
  const [search, setSearch] = useState('')
  const words = search.toLowerCase().split(/\s+/)
  const found = packages?.filter(({ name, license }) => {
    const where = `${name} ${license}`.toLowerCase()
    return words.every((word) => where.includes(word))
  })
  return (
    <>
      <p className="mb-4">
        Tollgate is free software under the MIT License. It contains the packages below, which keep their
        licenses. The desktop app also contains Chromium, whose licenses are in LICENSES.chromium.html next to
        the program.
      </p>
      {error ? <InlineError error={error} /> : null}
      {packages === null ? <InlineError error={NO_FILE} /> : null}
      {packages && found ? (
        <>
          <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <SearchField label="Search packages and licenses" value={search} onChange={setSearch} />
            <span role="status" className="text-ink-3 text-sm">
              {found.length === packages.length
                ? `${packages.length} packages`
                : `${found.length} of ${packages.length} packages`}
            </span>
          </div>
          <ul className="divide-y divide-line border-line border-y">
            {found.map((each) => (
              <li key={each.name}>
                <LicensedPackage {...each} />
              </li>
            ))}
          </ul>
        </>
      ) : error || packages === null ? null : (
        <SkeletonRows rows={8} />
      )}
    </>
  )
}

/** The text is only there when it is shown: all of them together would be half a megabyte of elements. */
function LicensedPackage({ name, license, text }: ShippedPackage) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex cursor-pointer items-baseline justify-between gap-4 rounded-md px-2 py-1.5 hover:bg-sunken">
        <span className="min-w-0 break-words">{name}</span>
        <span className="shrink-0 text-ink-3 text-sm">{license}</span>
      </summary>
      {open ? (
        <pre className="mx-2 mt-1 mb-3 overflow-x-auto whitespace-pre-wrap break-words rounded-md bg-sunken p-3 text-sm">
          {text}
        </pre>
      ) : null}
    </details>
  )
}
