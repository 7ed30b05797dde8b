// The list of what is shipped, for programs: a software bill of materials in CycloneDX 1.6
// (https://cyclonedx.org/docs/1.6/json/).
import type { LicensedPackage } from './licenses.ts'

interface Component {
  type: 'application' | 'library'
  'bom-ref': string
  name: string
  version: string
  purl: string
  licenses: { expression: string }[]
}

type SbomPackage = Pick<LicensedPackage, 'name' | 'version' | 'license'>

/** Equal packages give an equal text, so it has no time and no number. */
export function formatSbom(app: SbomPackage, packages: readonly SbomPackage[]): string {
  // A version may be installed in several folders.
  const components = new Map(
    packages.map((each) => describe(each, 'library')).map((each) => [each.purl, each]),
  )
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: describe(app, 'application') },
    components: [...components.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
  }
  return `${JSON.stringify(sbom)}\n`
}

function describe({ name, version, license }: SbomPackage, type: Component['type']): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const licenses = license === null ? [] : [{ expression: license }]
  return { type, 'bom-ref': purl, name, version, purl, licenses }
}
