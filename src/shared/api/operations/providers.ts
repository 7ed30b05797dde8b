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
import { admin, type Operation } from './operation.ts'

export const providersOperations = {
  listProviders: {
    ...routes.listProviders,
    tag: 'Providers',
    summary: 'List providers',
    description: 'Lists configured providers and the known ones that are not set up.',
    scopes: admin,
    response: ProviderList,
  },
  putProvider: {
    ...routes.putProvider,
    tag: 'Providers',
    summary: 'Add or update a provider',
    scopes: admin,
    body: ProviderPut,
    response: ProviderRecord,
  },
  deleteProvider: {
    ...routes.deleteProvider,
    tag: 'Providers',
    summary: 'Delete a provider',
    description: 'Also deletes its models and credentials.',
    scopes: admin,
    response: DeletedProvider,
  },
  testProvider: {
    ...routes.testProvider,
    reads: true,
    tag: 'Providers',
    summary: 'Test a provider',
    description: 'Reads the model list with the stored credential.',
    scopes: admin,
    response: ProviderTest,
  },
  tryProvider: {
    ...routes.tryProvider,
    reads: true,
    tag: 'Providers',
    summary: 'Test a provider without saving it',
    description:
      'Reads the model list as the provider would after the update, which is not saved. Of a provider that exists, the stored credential is used unless the update has one.',
    scopes: admin,
    body: ProviderPut,
    response: ProviderTest,
  },
  fetchProviderModels: {
    ...routes.fetchProviderModels,
    tag: 'Providers',
    summary: 'Refresh the models of a provider',
    description: "Reads the provider's model list into the catalog.",
    scopes: admin,
    response: ProviderModels,
    errors: [408, 504],
  },
  discoverProviders: {
    ...routes.discoverProviders,
    reads: true,
    tag: 'Providers',
    summary: 'Discover local model servers',
    description: 'Looks for known servers on their usual ports. It adds nothing.',
    scopes: admin,
    response: LocalServers,
  },
  listEnvironmentCredentials: {
    ...routes.listEnvironmentCredentials,
    tag: 'Providers',
    summary: 'List credentials in environment variables',
    description:
      'Lists known providers that are not set up and have a credential in an environment variable.',
    scopes: admin,
    response: EnvironmentCredentials,
  },
  importProvider: {
    ...routes.importProvider,
    tag: 'Providers',
    summary: 'Import a provider from an environment variable',
    description: 'Sets up a known provider with the credential from its environment variable.',
    scopes: admin,
    response: ProviderRecord,
  },
} as const satisfies Record<string, Operation>
