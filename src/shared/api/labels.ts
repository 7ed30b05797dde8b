// The labels of results, for the window and the command line.

import { t } from 'ttag'
import type { MatchStatus } from './reconciliations.ts'
import type { RepricingObstacle } from './repricing.ts'

/** Why a model could not have served some requests: what these requests do. */
export const OBSTACLES: Readonly<Record<RepricingObstacle, string>> = {
  own_api: t`use something that only the API of their provider has`,
  vision: t`have images, which it does not accept`,
  tools: t`have tools, which it cannot call`,
  json: t`ask for JSON, which it cannot guarantee`,
  images: t`were answered with images, which it cannot make`,
  unit: t`use something that it has no price for, such as audio or searches of the web`,
  output: t`have longer answers than it can write`,
  context: t`do not fit into its context window`,
}

export const MATCH_NAMES: Readonly<Record<MatchStatus, string>> = {
  matched: t`Matches`,
  differing: t`Differs`,
  'missing-here': t`Only at the provider`,
  'missing-there': t`Only in the log`,
}
