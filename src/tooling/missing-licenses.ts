// Packages that are published without the text of their license.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Replacement {
  /** The copyright line of an MIT license, from the package's readme or repository. */
  copyright?: string
  /** Another package of the same repository. */
  sameAs?: string
  /** A file of the project. */
  file?: string
}

const replacements: Readonly<Record<string, Replacement>> = {
  '@aws-sdk/credential-provider-http': { sameAs: '@aws-sdk/core' },
  '@aws-sdk/credential-provider-login': { sameAs: '@aws-sdk/core' },
  '@aws-sdk/nested-clients': { sameAs: '@aws-sdk/core' },
  '@lobehub/icons-static-svg': { copyright: 'Copyright (c) 2023 LobeHub' },
  'data-uri-to-buffer': { copyright: 'Copyright (c) 2014 Nathan Rajlich' },
  'lazy-val': { copyright: 'Copyright (c) Vladimir Krivosheev' },
  'react-remove-scroll-bar': { copyright: 'Copyright (c) Anton Korzunov' },
  'rehype-katex': { copyright: 'Copyright (c) Junyoung Choi' },
  'remark-math': { copyright: 'Copyright (c) Junyoung Choi' },
  // https://unlicense.org
  wouter: { file: 'src/tooling/unlicense.txt' },
}

/** The substitute for the license text of a package that has none; null if we know of none. */
export function findMissingLicense(root: string, name: string): string | null {
  const { copyright, sameAs, file } = replacements[name] ?? {}
  if (file !== undefined) return readFileSync(join(root, file), 'utf8').trimEnd()
  if (sameAs !== undefined) return readFileSync(join(root, 'node_modules', sameAs, 'LICENSE'), 'utf8')
  if (copyright === undefined) return null
  return readFileSync(join(root, 'LICENSE'), 'utf8').replace(/^Copyright.*$/m, copyright)
}
