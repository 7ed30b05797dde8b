import { expect, test } from 'vitest'
import { formatSbom } from './sbom.ts'

const app = { name: 'tollgate', version: '1.2.3', license: 'MIT' }
const zod = { name: 'zod', version: '4.0.0', license: 'MIT' }
const inter = { name: '@fontsource/inter', version: '5.0.0', license: 'OFL-1.1' }

test('each package has its name, version, address and license, in one order', () => {
  const sbom = JSON.parse(formatSbom(app, [zod, inter, zod]))
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })
  expect(sbom.metadata.component).toMatchObject({ type: 'application', purl: 'pkg:npm/tollgate@1.2.3' })
  expect(sbom.components).toEqual([
    {
      type: 'library',
      'bom-ref': 'pkg:npm/%40fontsource/inter@5.0.0',
      name: '@fontsource/inter',
      version: '5.0.0',
      purl: 'pkg:npm/%40fontsource/inter@5.0.0',
      licenses: [{ expression: 'OFL-1.1' }],
    },
    expect.objectContaining({ purl: 'pkg:npm/zod@4.0.0' }),
  ])
  expect(formatSbom(app, [inter, zod])).toBe(formatSbom(app, [zod, inter]))
})
