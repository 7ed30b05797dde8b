// The window loads the routes first: no schema.
import type { RepricingObstacle } from './repricing.ts'

export const repriceRoutes = {
  getRepricing: { method: 'GET', path: '/v1/usage/reprice' },
} as const

/** Why a model could not have served some requests: what these requests do. */
export const OBSTACLES: Readonly<Record<RepricingObstacle, string>> = {
  own_api: 'use something that only the API of their provider has',
  vision: 'have images, which it does not accept',
  tools: 'have tools, which it cannot call',
  json: 'ask for JSON, which it cannot guarantee',
  images: 'were answered with images, which it cannot make',
  unit: 'use something that it has no price for, such as audio or searches of the web',
  output: 'have longer answers than it can write',
  context: 'do not fit into its context window',
}
