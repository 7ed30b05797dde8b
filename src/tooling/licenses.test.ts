import { expect, test } from 'vitest'
import { readLicenses } from '../shared/desktop/licenses.ts'
import { formatLicenses, type LicensedPackage, requireFitting } from './licenses.ts'

const MIT = 'MIT License\n\nCopyright (c) 2020 A. Author\n\nPermission is hereby granted, free of charge.\n'
const left: LicensedPackage = { name: 'left', version: '1.0.0', license: 'MIT', texts: [MIT] }

const require = (change: Partial<LicensedPackage>) => () => requireFitting([left, { ...left, ...change }])

test('a package fits only with a license that does, and its text', () => {
  expect(require({ license: '(GPL-3.0-only OR MIT)' })).not.toThrow()
  for (const license of ['GPL-3.0-only', 'AGPL-3.0-or-later', 'MIT AND GPL-2.0-only', 'UNLICENSED']) {
    expect(require({ license })).toThrow(`left has the license ${license}, which does not fit MIT.`)
  }
  expect(require({ license: null })).toThrow('left names no license.')
  expect(require({ name: 'right', texts: [' \n'] })).toThrow('right has no license text.')
})

test('a text that packages share is written once, and read with the notices of each', () => {
  const right = {
    ...left,
    name: '@scope/right',
    texts: [
      MIT.replace('2020 A. Author', '2021 B. Author\r\nCopyright (c) 2022 C. Author').replace(
        'free of',
        'free  of',
      ),
    ],
  }
  const other = {
    name: 'other',
    version: '2.0.0',
    license: 'ISC',
    texts: ['Permission to use.', 'A notice.'],
  }
  const file = formatLicenses([other, right, left])
  expect(file.match(/Permission is hereby granted/g)).toHaveLength(1)
  expect(readLicenses(file)).toEqual([
    {
      name: '@scope/right 1.0.0',
      license: 'MIT',
      text: expect.stringMatching(
        /^Copyright \(c\) 2021 B\. Author\nCopyright \(c\) 2022 C\. Author\n\nPermission is/,
      ),
    },
    {
      name: 'left 1.0.0',
      license: 'MIT',
      text: expect.stringMatching(/^Copyright \(c\) 2020 A\. Author\n\nPermission is/),
    },
    { name: 'other 2.0.0', license: 'ISC', text: 'Permission to use.\n\nA notice.' },
  ])
})
