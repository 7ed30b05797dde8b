import {
  DeletedProvider,
  EnvironmentCredentials,
  LocalServers,
  ProviderList,
  ProviderModels,
  ProviderPut,
  ProviderRecord,
  ProviderTest,
} from '../providers.ts'
import { routes } from '../routes.ts'
import { admin, describeOperations } from './operation.ts'

export const providersOperations = describeOperations(routes, { tag: 'Providers', scopes: admin })({
  listProviders: {
    summary: 'List providers',
    description: 'Lists configured providers and the known ones that are not set up.',
    response: ProviderList,
  },
  putProvider: {
    summary: 'Add or update a provider',
    body: ProviderPut,
    response: ProviderRecord,
  },
  deleteProvider: {
    summary: 'Delete a provider',
    description: 'Also deletes its models and credentials.',
    response: DeletedProvider,
  },
  testProvider: {
    reads: true,
    summary: 'Test a provider',
    description: 'Reads the model list with the stored credential.',
    response: ProviderTest,
  },
  tryProvider: {
    reads: true,
    summary: 'Test a provider without saving it',
    description:
      'Reads the model list as the provider would after the update, which is not saved. Of a provider that exists, the stored credential is used unless the update has one.',
    body: ProviderPut,
    response: ProviderTest,
  },
  fetchProviderModels: {
    summary: 'Refresh the models of a provider',
    description: "Reads the provider's model list into the catalog.",
    response: ProviderModels,
    errors: [408, 504],
  },
  discoverProviders: {
    reads: true,
    summary: 'Discover local model servers',
    description: 'Looks for known servers on their usual ports. It adds nothing.',
    response: LocalServers,
  },
  listEnvironmentCredentials: {
    summary: 'List credentials in environment variables',
    description:
      'Lists known providers that are not set up and have a credential in an environment variable.',
    response: EnvironmentCredentials,
  },
  importProvider: {
    summary: 'Import a provider from an environment variable',
    description: 'Sets up a known provider with the credential from its environment variable.',
    response: ProviderRecord,
  },
})
