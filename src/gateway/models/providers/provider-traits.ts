import type { Authorization } from '../../../shared/api/authorization.ts'
import type { PassThroughEndpoint } from '../../../shared/api/operations/operation.ts'
import type { ApiFormat, ProviderAddress, ProviderFormat } from '../../../shared/api/providers.ts'
import type { Hosting, OtherModels, Quirks, TextCompletions } from '../../formats/chat/codec-types.ts'
import { DEFAULT_PATHS, type PassThroughPaths } from '../../formats/chat/pass-through.ts'
import type { LocalDetails } from '../../formats/openai-chat/models.ts'

export interface KnownProvider {
  id: string
  name: string
  apiFormat: ProviderFormat
  /** Empty where `address` makes it of what the user enters. */
  baseUrl: string
  address?: ProviderAddress
  /** A cloud that serves the format in its own way. */
  hosting?: Hosting
  /** How it can be authorized, the default first; absent: as the API format defines it. */
  authorizations?: readonly Authorization[]
  /** Further formats that the base URL serves, for clients of these formats. */
  otherFormats?: readonly ApiFormat[]
  /** The models that it serves in another format. */
  otherModels?: OtherModels
  /** The models that have text completions; absent if none have. */
  completions?: TextCompletions
  needsCredential: boolean
  /** Runs on the user's own machine, where its models are free. */
  local?: true
  /** How it reports more about its models than OpenAI's model list does. */
  localDetails?: LocalDetails
  /** The vendor's id in the price database. */
  priceId?: string
  /** The vendor of its models in the model data, where that is not `priceId`. */
  modelVendor?: string
  /** Where it lists its models, if not as the API format defines it. */
  modelsPath?: string
  /** The models that it offers, or those of `modelVendor` that match, where it has no list of them. */
  listedModels?: RegExp | readonly string[]
  /** Further environment variables than `<ID>_API_KEY` that usually contain the credential. */
  variables?: readonly string[]
  /** Where the user creates a credential. */
  consoleUrl?: string
  /** Whether it has files and batches as the vendor of its API format does. */
  batches?: true
  /** Whether its Responses API has WebSockets. */
  webSocket?: true
  quirks?: Quirks
  /** The place of passed-through calls: below its base URL, or at a separate URL. */
  passThrough?: PassThroughPaths
}

/** The fields in which vendors of a kind differ. */
export type Traits = Omit<KnownProvider, 'id' | 'name' | 'apiFormat' | 'needsCredential'>

/** Paths of OpenAI's API. */
export function openaiPaths(...endpoints: readonly PassThroughEndpoint[]): PassThroughPaths {
  return Object.fromEntries(endpoints.map((endpoint) => [endpoint, DEFAULT_PATHS[endpoint]]))
}
