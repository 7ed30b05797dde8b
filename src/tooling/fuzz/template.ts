import type { Json } from './odd-values.ts'

/** A valid request that the fuzzer starts from. */
export interface Template {
  weight: number
  method: string
  path: string
  body?: Json
}
