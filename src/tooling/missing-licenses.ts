// Packages that are published without the text of their license.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Replacement {
  /** The copyright line of an MIT license, from the package's readme or repository. */
  copyright?: string
  /** Another package of the same repository. */
  sameAs?: string
  text?: string
}

/** https://unlicense.org */
const UNLICENSE = `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or
distribute this software, either in source code form or as a compiled
binary, for any purpose, commercial or non-commercial, and by any
means.

In jurisdictions that recognize copyright laws, the author or authors
of this software dedicate any and all copyright interest in the
software to the public domain. We make this dedication for the benefit
of the public at large and to the detriment of our heirs and
successors. We intend this dedication to be an overt act of
relinquishment in perpetuity of all present and future rights to this
software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR
OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR
OTHER DEALINGS IN THE SOFTWARE.

For more information, please refer to <https://unlicense.org>`

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
  wouter: { text: UNLICENSE },
}

/** The substitute for the license text of a package that has none; null if we know of none. */
export function findMissingLicense(root: string, name: string): string | null {
  const { copyright, sameAs, text } = replacements[name] ?? {}
  if (text !== undefined) return text
  if (sameAs !== undefined) return readFileSync(join(root, 'node_modules', sameAs, 'LICENSE'), 'utf8')
  if (copyright === undefined) return null
  return readFileSync(join(root, 'LICENSE'), 'utf8').replace(/^Copyright.*$/m, copyright)
}
