import { createElement, Fragment, type ReactNode } from 'react'
import { jt as fill } from 'ttag'

/** A text in the language of the window with elements in it, whose order the translation may change. */
export function jt(text: TemplateStringsArray, ...parts: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...fill(text, ...parts))
}
